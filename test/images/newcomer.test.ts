import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { buildImages, type Workshop } from '../../tools/images/build.ts'
import { images } from '../../tools/images/images.ts'
import { blocksIn } from '../docs/page.ts'
import { Terminal } from '../docs/terminal.ts'
import { Newcomer } from '../support/newcomer.ts'
import { native, whyNoContainers } from './can-run.ts'
import { loadCompose, readVariables, type Service } from './compose-file.ts'
import { startContainer, type Unpacked, unpack } from './container.ts'

/** Keeps its arguments, its environment and its folder. The folder of calls is in the home of the terminal. */
const docker = `call="$HOME/calls/$(ls "$HOME/calls" | wc -l)"
mkdir "$call" && printf '%s\\0' "$@" > "$call/args" && env -0 > "$call/env" && printf %s "$PWD" > "$call/folder"`
/** Replaces the values of the example, as a person does. */
const vi = 'cp "$HOME/edited" "$1"'

interface Call {
  readonly detach: boolean
  readonly image: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
}

const compose = join(root, 'docs/compose')
const split = (text: string) => text.split('\0').slice(0, -1)
const pairOf = (line: string): [string, string] => [line.replace(/=.*/s, ''), line.replace(/^[^=]*=/, '')]

async function readSecrets(folder: string, names: readonly string[]): Promise<Record<string, string>> {
  const texts = names.map(async name => [name, await readFile(join(folder, name), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

/** Reads `--file FILE run --rm SERVICE ARGUMENT...` or `--file FILE up --detach` as Compose does, for a file with one service. */
async function readComposeCall(args: readonly string[], folder: string): Promise<Call> {
  const [option, file = '', verb = '', ...rest] = args
  const variables = readVariables(await readFile(join(folder, '.env'), 'utf8'))
  const { services } = await loadCompose(join(folder, file), variables)
  const [[name, service]] = Object.entries(services) as [[string, Service]]
  const detach = verb === 'up'
  const flags = detach ? ['up', '--detach'] : ['run', '--rm', name]
  expect([option, ...[verb, ...rest].slice(0, flags.length)]).toEqual(['--file', ...flags])
  const secrets = service.secrets ?? []
  return {
    detach,
    image: service.image,
    args: detach ? (service.command ?? []) : rest.slice(flags.length - 1),
    env: service.environment ?? {},
    secrets: await readSecrets(join(folder, 'secrets'), secrets),
  }
}

/** Reads a call of `docker run` as Docker does. @throws TypeError if it has an option that is not listed here */
async function readCall(folder: string): Promise<Call> {
  const [run = '', ...args] = split(await readFile(join(folder, 'args'), 'utf8'))
  if (run === 'compose') return readComposeCall(args, await readFile(join(folder, 'folder'), 'utf8'))
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
    const [from = '', to = '', access] = volume.split(':')
    expect([dirname(to), access]).toEqual(['/run/secrets', 'ro'])
    // The image's user is neither the owner nor in the group. A folder would have to let it in, too.
    expect((await stat(from)).mode & 0o004, `${from} can be read`).toBe(0o004)
    secrets[basename(to)] = await readFile(from, 'utf8')
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
    terminal = await Terminal.open({}, new Map(), { docker, vi }, { PATH: process.env['PATH'] })
    const calls = join(terminal.folder, 'calls')
    await mkdir(calls)
    await cp(compose, terminal.folder, { recursive: true })
    const example = await readFile(join(compose, '.env.example'), 'utf8')
    await writeFile(join(terminal.folder, 'edited'), newcomer.filled(example))
    const { status, output } = await terminal.run(newcomer.filled(commands), stdin)
    expect(status, output).toBe(0)
    const names = await readdir(calls)
    expect(names.length).toBe(commands.split(/docker (?:run|compose)/).length - 1)
    for (const [index, name] of names.sort().entries()) {
      const call = await readCall(join(calls, name))
      expect(call.image).toMatch(/^ghcr\.io\/[^/]+\/homeport:\d/)
      const address = `203.0.113.${10 + index}`
      await newcomer.move(address)
      const { args, secrets } = call
      const before = await newcomer.addresses()
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
      expect(await newcomer.addresses()).toEqual(args.includes('--dry-run') ? before : [address])
    }
    await terminal.close()
  }

  it('gets from the README to a record that is kept', async () => {
    const newcomer = await Newcomer.arrive(sandbox.description)
    const [block] = blocksIn('README.md', '### With a container')
    await follow(newcomer, block?.text ?? 'exit 1', `${newcomer.token}\n`)
    newcomer.arrived('with a container')
  })

  it('also gets there with the commands of docs/containers.md, with Compose and without', async () => {
    const newcomer = await Newcomer.arrive(sandbox.description, 'other.example.com')
    const [withCompose = 'exit 1', plain = 'exit 1'] = blocksIn('docs/containers.md', '## Keep a record').map(
      ({ text }) => text,
    )
    await follow(newcomer, withCompose, `${newcomer.token}\n`)
    const secret = withCompose.split('\n').filter(line => line.includes('secrets'))
    await follow(newcomer, `${secret.join('\n')}\n${plain}`, `${newcomer.token}\n`)
  })
})
