import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { bundle, startNode } from './command.ts'
import { temporaryFolder } from './temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface ActionMetadata {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly outputs: Readonly<Record<string, unknown>>
}

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice' | 'debug'
  readonly title: string
  readonly message: string
}

/** What a step left behind, as the runner sees it. */
export interface StepRun {
  /** Exit status; null if a signal ended it. */
  readonly status: number | null
  readonly outputs: Readonly<Record<string, string>>
  readonly annotations: readonly Annotation[]
  /** Markdown of the job summary; empty if the step wrote none. */
  readonly summary: string
  /** What a reader of the log sees. A mask applies from the line that sets it. */
  readonly log: string
  /** Everything the process wrote to both streams, unmasked, in the order of arrival. */
  readonly raw: string
  /** `raw` without the `::add-mask::` commands, which the runner does not log. */
  readonly rawWithoutMasks: string
  /** Contents of the files that the runner provides: outputs, environment, path, state and summary. */
  readonly files: string
}

export interface StepOptions {
  /** Added to the environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Ends the process with this signal when the condition resolves. */
  readonly cancelWhen?: { readonly signal: NodeJS.Signals; readonly condition: Promise<unknown> }
}

/** The files that the runner provides, by the variables with their paths. */
const fileNames = ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE']

export const metadata: ActionMetadata = parse(await readFile(join(root, 'action.yml'), 'utf8'))

/**
 * Runs the action's bundle as a self-hosted runner does (source: actions/runner 2.336.0). Every declared input is set as
 * INPUT_*, to the given value, the default or an empty text. The environment starts empty, the files of the runner exist,
 * and workflow commands are read on both streams. Refuses inputs that action.yml does not declare.
 */
export async function runAction(
  inputs: Readonly<Record<string, string>>,
  options: StepOptions = {},
): Promise<StepRun> {
  const { inputs: declared } = metadata
  const unknown = Object.keys(inputs).filter(name => !(name in declared))
  if (unknown.length > 0) throw new Error(`action.yml declares no input ${unknown.join(', ')}`)
  const workspace = temporaryFolder()
  const files = fileNames.map(name => join(workspace, name))
  await Promise.all(files.map(file => writeFile(file, '')))
  const env: NodeJS.ProcessEnv = {
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: workspace,
    RUNNER_ENVIRONMENT: 'self-hosted',
    ...Object.fromEntries(fileNames.map((name, index) => [name, files[index]])),
  }
  for (const [name, input] of Object.entries(declared)) {
    env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] = inputs[name] ?? input.default ?? ''
  }
  Object.assign(env, options.env)
  const step = startNode([bundle], env, { cwd: workspace })
  const { signal, condition } = options.cancelWhen ?? {}
  await condition
  if (signal) step.process.kill(signal)
  const { status, output: raw } = await step.ended
  const contents = await Promise.all(files.map(file => readFile(file, 'utf8')))
  const [output = '', summary = ''] = contents
  return {
    status,
    outputs: parseOutputs(output),
    summary,
    raw,
    files: contents.join('\n'),
    ...readCommands(raw),
  }
}

/** Parses the output file: `name=value`, or `name<<delimiter`, the lines of the value, and the delimiter. */
function parseOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {}
  const lines = text.split('\n')
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name, delimiter] = /^([^=<]+)<<(.+)$/.exec(line) ?? []
    if (name && delimiter) {
      const end = lines.indexOf(delimiter)
      outputs[name] = lines.splice(0, end).join('\n')
      lines.shift()
    } else if (line.includes('=')) {
      outputs[line.slice(0, line.indexOf('='))] = line.slice(line.indexOf('=') + 1)
    }
  }
  return outputs
}

/**
 * Reads workflow commands as the runner does: `::name key=value,…::data` at the start of a line, and `##[name]data`
 * anywhere in one. A mask applies from its line on. Empty masks are ignored.
 */
function readCommands(raw: string): Pick<StepRun, 'annotations' | 'log' | 'rawWithoutMasks'> {
  const annotations: Annotation[] = []
  const masks: string[] = []
  const shown: string[] = []
  const withoutMasks: string[] = []
  for (const line of raw.split(/\r?\n/)) {
    const command =
      /^\s*::([a-z-]+)(?: ([^:]*))?::(.*)$/.exec(line) ?? /##\[([a-z-]+)( [^\]]*)?\](.*)$/.exec(line)
    const [, name = '', properties = '', data = ''] = command ?? []
    if (name === 'add-mask') {
      if (decode(data) !== '') masks.push(decode(data))
      continue
    }
    withoutMasks.push(line)
    if (name === 'error' || name === 'warning' || name === 'notice' || name === 'debug') {
      const title = /(?:^|,)title=([^,]*)/.exec(properties.trim())?.[1] ?? ''
      annotations.push({
        level: name,
        title: decode(title).replaceAll('%3A', ':').replaceAll('%2C', ','),
        message: mask(decode(data), masks),
      })
      shown.push(`${name}: ${mask(decode(data), masks)}`)
    } else {
      shown.push(mask(line, masks))
    }
  }
  return { annotations, log: shown.join('\n'), rawWithoutMasks: withoutMasks.join('\n') }
}

function decode(data: string): string {
  return data.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%')
}

function mask(text: string, masks: readonly string[]): string {
  return masks.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
}
