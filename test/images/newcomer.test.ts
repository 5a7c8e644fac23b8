import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { buildImages, type Workshop } from '../../tools/images/build.ts'
import { images } from '../../tools/images/images.ts'
import { blocksIn } from '../docs/page.ts'
import { Terminal } from '../docs/terminal.ts'
import { Newcomer } from '../support/newcomer.ts'
import { native, whyNoContainers } from './can-run.ts'
import { startContainer, type Unpacked, unpack } from './container.ts'

/** Keeps its arguments and its environment. The folder of calls is in the home of the terminal. */
const docker = `call="$HOME/calls/$(ls "$HOME/calls" | wc -l)"
mkdir "$call" && printf '%s\\0' "$@" > "$call/args" && env -0 > "$call/env"`

interface Call {
  readonly detach: boolean
  readonly image: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
}

const split = (text: string) => text.split('\0').slice(0, -1)
const pairOf = (line: string): [string, string] => [line.replace(/=.*/s, ''), line.replace(/^[^=]*=/, '')]

/** Reads a call of `docker run` as Docker does. @throws TypeError if it has an option that is not listed here */
async function readCall(folder: string): Promise<Call> {
  const [run = '', ...args] = split(await readFile(join(folder, 'args'), 'utf8'))
  const at = args.findIndex(argument => argument.startsWith('ghcr.io/'))
  const [text, flag] = [{ type: 'string' } as const, { type: 'boolean', default: false } as const]
  const { values } = parseArgs({
    args: args.slice(0, at),
    options: {
      detach: flag,
      rm: flag,
      'read-only': flag,
      restart: text,
      network: text,
      name: text,
      env: { type: 'string', multiple: true },
      volume: { type: 'string', multiple: true },
    },
  })
  expect([run, values['read-only'], values.network]).toEqual(['run', true, 'host'])
  const here = Object.fromEntries(split(await readFile(join(folder, 'env'), 'utf8')).map(pairOf))
  const env = (values.env ?? []).map(one =>
    one.includes('=') ? pairOf(one) : ([one, here[one] ?? ''] as const),
  )
  const secrets: Record<string, string> = {}
  for (const volume of values.volume ?? []) {
    const [from = '', to, mode] = volume.split(':')
    expect([to, mode]).toEqual(['/run/secrets', 'ro'])
    for (const name of await readdir(from)) secrets[name] = await readFile(join(from, name), 'utf8')
  }
  return {
    detach: values.detach,
    image: args[at] ?? '',
    args: args.slice(at + 1),
    env: Object.fromEntries(env),
    secrets,
  }
}

describe.skipIf(whyNoContainers !== '')(`a newcomer with a container tool${whyNoContainers}`, () => {
  let sandbox: Sandbox
  let workshop: Workshop
  let image: Unpacked
  let terminal: Terminal
  beforeAll(async () => {
    sandbox = await startSandbox()
    const ours = images.filter(({ name }) => name === 'homeport')
    workshop = await buildImages([native], ours)
    image = await unpack(workshop.buildah, `homeport:${native}`)
  }, 600_000)
  afterAll(async () => {
    await terminal?.close()
    await workshop?.close()
    await sandbox?.close()
  })

  /** Runs commands of a page, then the containers that they start, one after the other. */
  async function follow(newcomer: Newcomer, commands: string, stdin: string): Promise<void> {
    terminal = await Terminal.open({}, new Map(), { docker }, { PATH: process.env['PATH'] })
    const calls = join(terminal.folder, 'calls')
    await mkdir(calls)
    const { status, output } = await terminal.run(newcomer.filled(commands), stdin)
    expect(status, output).toBe(0)
    const names = await readdir(calls)
    expect(names.length).toBe(commands.split('docker run').length - 1)
    for (const [index, name] of names.sort().entries()) {
      const call = await readCall(join(calls, name))
      expect(call.image).toMatch(/^ghcr\.io\/OWNER\/homeport(:|$)/)
      const address = `203.0.113.${10 + index}`
      await newcomer.move(address)
      const { args, secrets } = call
      const container = await startContainer(image, {
        ...(args.length > 0 ? { args } : {}),
        env: { ...newcomer.settings, ...call.env },
        secrets,
      })
      if (call.detach) {
        await container.wrote('updated')
        await container.signal('SIGTERM')
      }
      expect(await container.ended, container.output()).toBe(0)
      expect(container.output()).not.toContain(newcomer.token)
      expect(await newcomer.addresses()).toEqual([address])
    }
    await terminal.close()
  }

  it('gets from the README to a record that is kept', async () => {
    const newcomer = await Newcomer.arrive(sandbox.description)
    const [block] = blocksIn('README.md', '### With a container')
    await follow(newcomer, block?.text ?? 'exit 1', `${newcomer.token}\n`)
    newcomer.arrived('with a container')
  })

  it('also gets there with the commands of docs/containers.md', async () => {
    const newcomer = await Newcomer.arrive(sandbox.description, 'other.example.com')
    const blocks = blocksIn('docs/containers.md', '## Keep a record').map(({ text }) => text)
    const [compose = '', plain = 'exit 1'] = blocks
    // The secret is made as for Compose, whose file compose.test.ts checks.
    const secret = compose.split('\n').filter(line => line.includes('secrets'))
    await follow(newcomer, `${secret.join('\n')}\n${plain}`, `${newcomer.token}\n`)
  })
})
