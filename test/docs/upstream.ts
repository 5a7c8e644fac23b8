import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from '../../tools/bundle.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Creates the repository that pages clone: the files of this checkout, as one commit. Returns its path. */
async function makeUpstream(): Promise<string> {
  const upstream = join(temporaryFolder(), 'upstream')
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

/** Writes a configuration of git that clones this checkout in place of the repository that README names. Returns its path. */
export async function cloneThisCheckout(): Promise<string> {
  const upstream = await makeUpstream()
  const file = `${upstream}.gitconfig`
  const [address] =
    /https:\/\/github\.com\/[^/]+\/homeport\.git/.exec(await readFile(join(root, 'README.md'), 'utf8')) ?? []
  const instead = `[url "file://${upstream}"]\n\tinsteadOf = ${address}\n`
  await writeFile(file, `[user]\n\tname = Test\n\temail = test@example.com\n${instead}`)
  return file
}

/** A script in place of npm, whose `ci` takes the packages of this checkout. */
export const npmScript = `if [ "$1" = ci ]; then ln -sfn '${join(root, 'node_modules')}' node_modules; else
  exec '${execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()}' "$@"
fi`
