import { chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isExecutable } from './find-program.ts'

/**
 * Returns the folder for programs that were built, fetched or unpacked, and creates it. It is outside the repository, so a
 * clean checkout keeps them. Its programs are run, so nobody else may have put them there.
 * @throws Error if the folder cannot be created, or belongs to another user
 */
export async function cacheFolder(): Promise<string> {
  const { XDG_CACHE_HOME, HOME } = process.env
  const folder = join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'homeport')
  const fix = 'Set XDG_CACHE_HOME to a folder of yours.'
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(`The cache ${folder} cannot be created (${code}). ${fix}`, { cause })
  }
  if ((await stat(folder)).uid !== process.getuid?.()) {
    throw new Error(`The cache ${folder} belongs to another user. ${fix}`)
  }
  await chmod(folder, 0o700)
  return folder
}

/**
 * Returns the path of a program in the cache. If it is not there, it is made in another folder and moved when it is
 * complete, so that processes that start at once do not disturb each other.
 * @param name folder in the cache, with the version
 * @param program path of the program in that folder
 * @param make gets an empty folder, and returns the path of what to keep: that folder or one in it
 */
export async function fromCache(
  name: string,
  program: string,
  make: (work: string) => Promise<string>,
): Promise<string> {
  const cache = await cacheFolder()
  const target = join(cache, name)
  const file = join(target, program)
  if (await isExecutable(file)) return file
  const work = await mkdtemp(join(cache, `${name}-`))
  try {
    await rename(await make(work), target).catch(async error => {
      // Another process may have put it there first.
      if (!(await isExecutable(file))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return file
}
