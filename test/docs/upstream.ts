import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from '../../tools/bundle.ts'

/** Creates the repository that pages clone, below a folder: the files of this checkout, as one commit. */
export async function makeUpstream(folder: string): Promise<string> {
  const upstream = join(folder, 'upstream')
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
  for (const file of listed.toString().split('\0').filter(Boolean)) {
    await mkdir(dirname(join(upstream, file)), { recursive: true })
    await cp(join(root, file), join(upstream, file)).catch((error: NodeJS.ErrnoException) => {
      // Deleted, and not yet committed.
      if (error.code !== 'ENOENT') throw error
    })
  }
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const git = (...args: string[]) => execFileSync('git', args, { cwd: upstream })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all', '--force')
  git(...author, 'commit', '--quiet', '--message', 'Upstream')
  return upstream
}

/** Writes a configuration of git that clones this repository in place of the one that README names. Returns its path. */
export async function gitConfigOf(upstream: string): Promise<string> {
  const file = `${upstream}.gitconfig`
  const [address] =
    /https:\/\/github\.com\/[^/]+\/homeport\.git/.exec(await readFile(join(root, 'README.md'), 'utf8')) ?? []
  const instead = `[url "file://${upstream}"]\n\tinsteadOf = ${address}\n`
  await writeFile(file, `[user]\n\tname = Test\n\temail = test@example.com\n${instead}`)
  return file
}
