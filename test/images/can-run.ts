import { spawnSync } from 'node:child_process'
import type { Architecture } from '../../tools/images/images.ts'

/** The architecture of the images that can run here. */
export const native: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'

/** Says why no container can be built and run here, or nothing. */
export const whyNoContainers = problem()

function problem(): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return ' (only root of a Linux can build and run them)'
  if (!(process.arch in { x64: 1, arm64: 1 })) return ` (there is no image for ${process.arch})`
  const namespaces = ['--net', '--mount', '--pid', '--fork', 'mount', '--bind', '/', '/']
  return spawnSync('unshare', namespaces).status === 0 ? '' : ' (unshare --mount is not permitted here)'
}
