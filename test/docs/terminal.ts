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
  readonly args: readonly string[]
  readonly stdin: string
  readonly folder: string
}

/** Does what the commands of a program do, and returns what they print. @throws Error with what a failing one prints */
export type Program = (call: Call) => Promise<string> | string

export interface TerminalOptions {
  /** Emulated programs by name, and shell scripts in place of others. */
  readonly programs?: Readonly<Record<string, string | Program>>
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Replaces in commands and expected output what a reader has to. */
  readonly fill?: (text: string) => string
  /** What a reader pastes into a file of the folder `secrets`, by its name. It must never be printed. */
  readonly pasted?: ReadonlyMap<string, string>
}

const timeLimitMs = timeLimit(300_000)

/** A reader's shell, whose exports and folder last from one block of a page to the next. */
export class Terminal {
  readonly folder = temporaryFolder()
  readonly #options: Required<TerminalOptions>

  private constructor(options: TerminalOptions) {
    const none = { programs: {}, env: {}, pasted: new Map() }
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
      await writeFile(
        file,
        typeof script === 'string' ? `#!/usr/bin/env bash\n${script}\n` : carrier(name, url),
      )
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
    const file = /cat > secrets\/([\w-]+)/.exec(block.text)?.[1]
    const typed = file === undefined ? '' : `${this.#options.pasted.get(file)}\n`
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

  /** Serves the emulated programs to those that `carrier` makes. Returns the URL. */
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

  #carryOut({ name, ...call }: Call & { readonly name: string }): Promise<string> | string {
    const program = this.#options.programs[name]
    if (typeof program !== 'function') throw new Error(`The tests do not emulate ${name}.`)
    return program(call)
  }
}

/** Returns a program that sends its command to the test. Only secrets are read from standard input. */
const carrier = (name: string, url: string): string => `#!/usr/bin/env node
const { readFileSync } = require('node:fs')
const name = ${JSON.stringify(name)}
const args = process.argv.slice(2)
const stdin = args.join(' ').startsWith('secret set') ? readFileSync(0, 'utf8') : ''
fetch(${JSON.stringify(url)}, { method: 'POST', body: JSON.stringify({ name, args, stdin, folder: process.cwd() }) }).then(async answer => {
  const text = await answer.text()
  if (answer.ok) process.stdout.write(text)
  else process.stderr.write(text)
  process.exitCode = answer.ok ? 0 : 1
})
`
