import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatEnvFile, parseEnvFile, whyReadersDiffer } from '../../infra/env-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-env-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const invisible = ['\u0001', '\u007f', '\u00a0', '\u2028', '\ufeff']
/** Every printable character of ASCII and a few others, at each place of a value that a reader may treat apart. */
const values = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ...['\t', '\n', '\r', ...invisible, 'é', 'ß', '漢', '😀'],
].flatMap(one => [one, `a${one}b`, `${one}b`, `a${one}`, `a:${one}b`])

const same = [
  ...values.filter(value => whyReadersDiffer(value) === null),
  'https://people.example.com/auth/callback,https://home.example.com/_homeport/auth/callback',
]
const different = values.filter(value => whyReadersDiffer(value) !== null)
const named = same.map((value, index) => [`N${index}`, value] as const)
const file = formatEnvFile('N0=in a comment', named)
const printed = named.map(([name]) => `printf '%s\\036' "$${name}"`).join('\n')

/** Runs a script of a shell in the folder, where no program can be found. Returns what it printed before each U+001E. */
function runShell(shell: string, script: string): readonly string[] {
  const { stdout } = spawnSync(shell, ['-c', `PATH=/nowhere\n${script}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: '/home/reader' },
    input: '',
    encoding: 'utf8',
  })
  return stdout.split('\u001e').slice(0, -1)
}

/** Returns how `docker run --env-file` reads a file: the rest of each line, as it is. */
function readAsContainer(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter(line => line !== '' && !line.startsWith('#'))
  return lines.map(line => line.slice(line.indexOf('=') + 1))
}

/** Reads environment.d(5) with the parser that systemd has for EnvironmentFile= as well. */
const systemd = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator'
const hasSystemd = existsSync(systemd)

describe('a value that is written as it is', () => {
  it.each(['sh', 'bash'])('is read alike by %s', async shell => {
    await writeFile(join(folder, 'all.env'), file)
    expect(same.length).toBeGreaterThan(300)
    expect(runShell(shell, `. ./all.env\n${printed}`)).toEqual(same)
  })

  it.skipIf(!hasSystemd)(
    `is read alike by systemd${hasSystemd ? '' : ' (systemd is not installed)'}`,
    async () => {
      await mkdir(join(folder, 'environment.d'))
      await writeFile(join(folder, 'environment.d/all.conf'), file)
      const { stdout } = spawnSync(systemd, { env: { XDG_CONFIG_HOME: folder }, encoding: 'utf8' })
      // It prints special characters in the quotes of a shell.
      await writeFile(join(folder, 'shown.env'), stdout)
      expect(runShell('sh', `. ./shown.env\n${printed}`)).toEqual(same)
    },
  )

  it('is read alike by a container, and by ourselves', () => {
    expect(readAsContainer(file)).toEqual(same)
    expect([...parseEnvFile(file)]).toEqual(named)
  })
})

describe('a value that is refused', () => {
  it('is read differently by one of them', async () => {
    const scripts: string[] = []
    for (const [index, value] of different.entries()) {
      await writeFile(join(folder, `${index}.env`), formatEnvFile('One.', [['N', value]]))
      scripts.push(`(. ./${index}.env; printf '%s' "$N") 2>&1; printf '\\036'`)
    }
    const byShell = runShell('sh', scripts.join('\n'))
    expect(byShell).toHaveLength(different.length)
    const alike = different.filter(
      (value, index) =>
        byShell[index] === value &&
        readAsContainer(formatEnvFile('One.', [['N', value]])).join('\n') === value,
    )
    // systemd ends a line at \r. Compose and Node end a value at #, and Compose replaces $. A user b may exist. Some readers
    // take the others for a blank or a break.
    const byOthers = ['\r', '#', '$', '~', ...invisible]
    expect(alike.filter(value => !byOthers.some(one => value.includes(one)))).toEqual([])
  })

  it.each([
    ['Employee system', 'a space'],
    ["Ada's", 'a quotation mark'],
    ['a\\b', 'a backslash'],
    ['$HOME', 'a dollar sign'],
    ['https://old.example.com/?a=1&b=2', 'one of & ; | < > ( )'],
    ['one\nTWO=2', 'a line break'],
    ['~/x', 'the sign ~ at the beginning or after a colon'],
  ])('is named by what it has: %j', (value, found) => {
    expect(whyReadersDiffer(value)).toBe(found)
  })
})
