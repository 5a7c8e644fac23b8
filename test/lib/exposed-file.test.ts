import { chmodSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isExposed } from '../../lib/exposed-file.ts'
import { enterableFolder } from '../support/temporary-folder.ts'

it('a secret file is exposed if everybody can read it, and no container or systemd provides it', () => {
  const folder = realpathSync(enterableFolder())
  const [file, link] = [join(folder, 'a token'), join(folder, 'link')]
  writeFileSync(file, 'x')
  symlinkSync(file, link)
  const mount = (point: string, options: string, ofAll = 'rw') =>
    `36 35 98:0 / ${point.replaceAll(' ', '\\040')} ${options} master:1 - ext4 /dev/root ${ofAll}\n`
  const root = mount('/', 'rw,noatime')
  const exposed = (mounts: string, env = {}, path = link) => isExposed(path, env, mounts)
  chmodSync(file, 0o644)
  expect(exposed(root)).toBe(true)
  expect(exposed('')).toBe(true)
  expect(exposed(root, { CREDENTIALS_DIRECTORY: folder })).toBe(false)
  expect(exposed(root, { CREDENTIALS_DIRECTORY: `${folder.slice(0, -1)}` })).toBe(true)
  expect(exposed(root + mount(folder, 'ro,nosuid'))).toBe(false)
  expect(exposed(root + mount(folder, 'rw', 'ro'))).toBe(false)
  expect(exposed(mount('/', 'ro') + mount(folder, 'rw'))).toBe(true)
  // Containers mount single files, too.
  expect(exposed(root + mount(file, 'ro'))).toBe(false)
  expect(exposed(root + mount(folder, 'ro') + mount(folder, 'rw'))).toBe(true)
  expect(exposed(root, {}, '/dev/null')).toBe(false)
  expect(exposed(root, {}, join(folder, 'missing'))).toBe(false)
  chmodSync(folder, 0o750)
  expect(exposed(root)).toBe(false)
  chmodSync(folder, 0o711)
  for (const mode of [0o600, 0o640]) {
    chmodSync(file, mode)
    expect(exposed(root)).toBe(false)
  }
})
