import { spawnSync } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { freshBundle, root } from '../../tools/bundle.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Other tests start the bundle in build/ meanwhile.
const folder = temporaryFolder()
const bundle = freshBundle('push', folder)
const record = bundle.replace('.js', '.inputs.json')

it.each(['a source', 'the lockfile', 'the bundle'])(
  'builds the bundle again only if %s changed',
  async changed => {
    const { ino } = await stat(bundle)
    expect(freshBundle('push', folder)).toBe(bundle)
    expect((await stat(bundle)).ino).toBe(ino)
    const made = await readFile(record, 'utf8')
    const { inputs, ...rest } = JSON.parse(made)
    const path = changed === 'a source' ? 'push/cli.ts' : 'package-lock.json'
    expect(inputs).toHaveProperty([path])
    const other =
      changed === 'the bundle' ? { inputs, bundle: '' } : { ...rest, inputs: { ...inputs, [path]: '' } }
    await writeFile(record, JSON.stringify(other))
    freshBundle('push', folder)
    expect(await readFile(record, 'utf8')).toBe(made)
  },
)

it.each([
  ['start', ['--help'], /^Usage: node server\.js/],
  ['push', ['serve'], /"message":"API_TOKEN is missing\./],
])('npm run %s runs what ships, with %j', async (script, args, expected) => {
  const { scripts } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'))
  const [, ...words] = scripts[script].split(' ')
  const { stdout } = spawnSync(process.execPath, [...words, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: {},
  })
  expect(stdout).toMatch(expected)
})
