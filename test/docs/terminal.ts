import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { expect } from 'vitest'
import { startProgram } from '../support/command.ts'
import { listen } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { timeLimit } from '../support/time-limit.ts'
import { type Block, missingLines, ran, runnable } from './page.ts'

/** A command that the tests emulate, because its program is missing or would reach the real services. */
export interface Call {
  /** The program and its arguments, separated by spaces, with the name in place of each known value: `$NAME`. */
  readonly text: string
  readonly stdin: string
  readonly folder: string
}

/** Does what a command does, and returns what it prints. */
export type Effect = (call: Call) => Promise<string> | string

export interface TerminalOptions {
  /** What emulated commands do, by their text. */
  readonly effects?: Readonly<Record<string, Effect>>
  /** Names by value. They replace the values in the text of a command. More may come up later. */
  readonly names?: ReadonlyMap<string, string>
  /** Programs whose commands are emulated, and shell scripts in place of others. */
  readonly programs?: Readonly<Record<string, string | null>>
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Replaces in commands and expected output what a reader has to. */
  readonly fill?: (text: string) => string
  /** What a reader pastes where a command reads a variable. It must never be printed. */
  readonly pasted?: ReadonlyMap<string, string>
}

const timeLimitMs = timeLimit(300_000)

/** A reader's shell, whose exports and folder last from one block of a page to the next. */
export class Terminal {
  readonly folder = temporaryFolder()
  readonly #options: Required<TerminalOptions>

  private constructor(options: TerminalOptions) {
    const none = { effects: {}, names: new Map(), programs: {}, env: {}, pasted: new Map() }
    this.#options = { ...none, fill: text => text, ...options }
  }

  static async open(options: TerminalOptions = {}): Promise<Terminal> {
    const terminal = new Terminal(options)
    const { folder } = terminal
    const { programs, env } = terminal.#options
    const url = await terminal.#serve()
    await mkdir(join(folder, 'bin'))
    for (const [name, script] of Object.entries(programs)) {
      const file = join(folder, 'bin', name)
      await writeFile(file, script === null ? carrier(name, url) : `#!/usr/bin/env bash\n${script}\n`)
      await chmod(file, 0o755)
    }
    const path = env['PATH'] ?? [dirname(process.execPath), process.env['PATH']].join(delimiter)
    const entries = Object.entries({ ...env, PATH: `${join(folder, 'bin')}:${path}`, HOME: folder })
    const exports = entries.map(
      ([name, value]) => `export ${name}='${(value ?? '').replaceAll("'", `'\\''`)}'`,
    )
    await writeFile(join(folder, 'exports'), `${exports.join('\n')}\ncd '${folder}'\n`)
    return terminal
  }

  /** Runs commands, with what a reader replaces. @param stdin what a person types */
  async run(
    commands: string,
    stdin = '',
  ): Promise<{ readonly status: number | null; readonly output: string }> {
    const state = join(this.folder, 'exports')
    const script = `. '${state}'
set -euo pipefail
keep() { { export -p; printf "cd '%s'\\n" "$PWD"; } > '${state}'; }
trap keep EXIT
${this.#options.fill(commands)}`
    const shell = ['--norc', '--noprofile', '-c', script]
    const { status, output } = await startProgram('bash', shell, {}, { input: stdin, timeLimitMs }).ended
    for (const secret of this.#options.pasted.values()) expect(output).not.toContain(secret)
    return { status, output }
  }

  /** Runs commands, which must succeed. `bootstrap` must end with 1 while something is missing. Returns the output. */
  async must(commands: string, stdin = ''): Promise<string> {
    const { status, output } = await this.run(commands, stdin)
    const isMissing = commands.includes('npm run -s bootstrap') && !output.includes('Nothing is missing.')
    expect(status, `${commands}\n${output}`).toBe(isMissing ? 1 : 0)
    return output
  }

  /** Runs those commands of a block that can run here. @throws Error if the page lacks the block */
  async enter(block: Block | undefined, stdin?: string): Promise<string> {
    if (block === undefined) throw new Error('The page lacks commands.')
    ran.add(block.text)
    const variable = /^read -rs (\w+)/.exec(block.text)?.[1]
    const typed = variable === undefined ? '' : `${this.#options.pasted.get(variable)}\n`
    return this.must(runnable(block), stdin ?? typed)
  }

  /** Enters blocks in order. What the page says that commands print, they must. Returns the last output. */
  async follow(blocks: readonly (Block | undefined)[]): Promise<string> {
    let output = ''
    for (const block of blocks) {
      if (block?.language === 'text')
        expect(missingLines(output, this.#options.fill(block.text)), output).toEqual([])
      else output = await this.enter(block)
    }
    return output
  }

  /** Serves the effects to the programs that `carrier` makes. Returns the URL. */
  #serve(): Promise<string> {
    const server = createServer((request, response) => {
      void readAll(request).then(async body => {
        try {
          response.end(await this.#carryOut(JSON.parse(body)))
        } catch (error) {
          response.statusCode = 500
          response.end(`${error instanceof Error ? error.message : String(error)}\n`)
        }
      })
    })
    // It ends with the process of the test.
    return listen(server.unref())
  }

  #carryOut({ args, stdin, folder }: { args: readonly string[]; stdin: string; folder: string }) {
    const { names, effects } = this.#options
    const known = [...names].sort(([one], [other]) => other.length - one.length)
    const text = known.reduce((rest, [value, name]) => rest.replaceAll(value, `$${name}`), args.join(' '))
    const effect = Object.hasOwn(effects, text) ? effects[text] : undefined
    if (effect === undefined) throw new Error(`The tests do not know this command: ${text}`)
    return effect({ text, stdin, folder })
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
