import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { delimiter, join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { listen } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A command that the tests emulate, because its program is missing or would reach the real services. */
export interface Call {
  /** The program and its arguments, separated by spaces, with the name in place of each known value: `$NAME`. */
  readonly text: string
  readonly stdin: string
  readonly folder: string
}

/** Does what a command does, and returns what it prints. */
export type Effect = (call: Call) => Promise<string> | string

/** How a block of commands ended. */
export interface Ended {
  readonly status: number | null
  readonly output: string
}

const maxMs = 300_000

/** A shell whose exports and folder last from one block of a page to the next. */
export class Terminal {
  readonly folder: string
  /** Names by value. They replace the values in the text of a command. */
  readonly #names: ReadonlyMap<string, string>
  readonly #effects: Readonly<Record<string, Effect>>
  readonly #server: Server

  private constructor(
    folder: string,
    effects: Readonly<Record<string, Effect>>,
    names: ReadonlyMap<string, string>,
  ) {
    this.folder = folder
    this.#names = names
    this.#effects = effects
    this.#server = createServer((request, response) => {
      void readAll(request).then(async body => {
        try {
          response.end(await this.#carryOut(JSON.parse(body)))
        } catch (error) {
          response.statusCode = 500
          response.end(`${error instanceof Error ? error.message : String(error)}\n`)
        }
      })
    })
  }

  /**
   * @param effects by the text of the command
   * @param names of values, by value; more may come up later
   * @param programs whose commands are carried out by the effects, and shell scripts in place of others
   */
  static async open(
    effects: Readonly<Record<string, Effect>>,
    names: ReadonlyMap<string, string>,
    programs: Readonly<Record<string, string | null>>,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<Terminal> {
    const folder = temporaryFolder()
    const terminal = new Terminal(folder, effects, names)
    const url = await listen(terminal.#server)
    await mkdir(join(folder, 'bin'))
    for (const [name, script] of Object.entries(programs)) {
      const file = join(folder, 'bin', name)
      await writeFile(file, script === null ? carrier(name, url) : `#!/usr/bin/env bash\n${script}\n`)
      await chmod(file, 0o755)
    }
    const path = [join(folder, 'bin'), env['PATH']].join(delimiter)
    const entries = Object.entries({ ...env, PATH: path, HOME: folder })
    const exports = entries.map(
      ([name, value]) => `export ${name}='${(value ?? '').replaceAll("'", `'\\''`)}'`,
    )
    await writeFile(join(folder, 'exports'), `${exports.join('\n')}\ncd '${folder}'\n`)
    return terminal
  }

  /** Runs a block of commands. @param stdin what a person types */
  async run(script: string, stdin = ''): Promise<Ended> {
    const state = join(this.folder, 'exports')
    const keep = `{ export -p; printf "cd '%s'\\n" "$PWD"; } > '${state}'`
    const child = spawn(
      'bash',
      ['--norc', '--noprofile', '-c', `. '${state}'\nset -euo pipefail\n${script}\n${keep}`],
      {
        env: {},
        stdio: ['pipe', 'pipe', 'pipe'],
        timeout: maxMs,
        killSignal: 'SIGKILL',
      },
    )
    child.stdin.on('error', () => undefined).end(stdin)
    let output = ''
    const collect = (chunk: string) => {
      output += chunk
    }
    child.stdout.setEncoding('utf8').on('data', collect)
    child.stderr.setEncoding('utf8').on('data', collect)
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, output }
  }

  #carryOut({ args, stdin, folder }: { args: readonly string[]; stdin: string; folder: string }) {
    const known = [...this.#names].sort(([one], [other]) => other.length - one.length)
    const text = known.reduce((rest, [value, name]) => rest.replaceAll(value, `$${name}`), args.join(' '))
    const effect = Object.hasOwn(this.#effects, text) ? this.#effects[text] : undefined
    if (effect === undefined) throw new Error(`The tests do not know this command: ${text}`)
    return effect({ text, stdin, folder })
  }

  async close(): Promise<void> {
    this.#server.close()
  }
}

/** Returns a program that sends its command to the test. Only secrets are read from standard input. */
const carrier = (name: string, url: string): string => `#!/usr/bin/env node
const { readFileSync } = require('node:fs')
const args = [${JSON.stringify(name)}, ...process.argv.slice(2)]
const stdin = args.join(' ').startsWith('gh secret set') ? readFileSync(0, 'utf8') : ''
fetch(${JSON.stringify(url)}, { method: 'POST', body: JSON.stringify({ args, stdin, folder: process.cwd() }) }).then(async answer => {
  const text = await answer.text()
  if (answer.ok) process.stdout.write(text)
  else process.stderr.write(text)
  process.exitCode = answer.ok ? 0 : 1
})
`
