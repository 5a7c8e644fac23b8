import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { root } from './bundle.ts'

/** What a room may use from the others: modules without their extension, and folders that end in `/`. */
interface Room {
  /** What its modules may import, types included. */
  readonly imports: readonly string[]
  /** The programs it may start by their path. */
  readonly starts: readonly string[]
}

const shared = ['action/', 'infra/', 'lib/', 'push/', 'sandbox/', 'src/', 'tools/']
const everything = [...shared, 'bench/', 'demo/', 'test/']

/** The words of the action, and what a request and its outcome are. */
const groundFloor = [
  'action/deadline',
  'action/exchange',
  'action/hostname',
  'action/ip-address',
  'action/problem',
  'action/record-type',
  'action/text/',
  'lib/',
]

/**
 * The rooms and what they may use. An emulator shares no code with what it judges, so `action/`, `src/` and `sandbox/`
 * never use each other. `./` is the files at the root: the configurations of the test runner.
 */
export const rooms: Readonly<Record<string, Room>> = {
  // The ground floor: what several rooms need. It knows none of them.
  'lib/': { imports: [], starts: [] },
  'action/': { imports: ['action/', 'lib/'], starts: [] },
  // What they share lies below both.
  'action/address/': {
    imports: [...groundFloor, 'action/dns-message'],
    starts: [],
  },
  'action/records/': { imports: [...groundFloor, 'action/concurrency'], starts: [] },
  // A front of the action's rules: it decides nothing about records.
  'push/': {
    imports: [
      'action/address/',
      'action/concurrency',
      'action/deadline',
      'action/decide',
      'action/exchange',
      'action/hostname',
      'action/inputs/',
      'action/ip-address',
      'action/keep',
      'action/notify',
      'action/problem',
      'action/record-type',
      'action/records/',
      'action/result',
      'action/send-once',
      'action/text/',
      'lib/',
    ],
    starts: [],
  },
  // Example programs of other people.
  'docs/programs/': { imports: ['infra/resources/'], starts: [] },
  'src/': { imports: ['lib/'], starts: [] },
  // The operator's command is no part of what serves requests.
  'src/operator/': { imports: ['lib/', 'src/'], starts: [] },
  'sandbox/': { imports: [], starts: [] },
  'infra/': {
    imports: ['lib/', 'push/hosts', 'src/routes', 'src/settings/', 'tools/node-needed', 'tools/node-version'],
    starts: ['src/operator/cli'],
  },
  // Pages are generated from the reasons of failures, the tables of settings and keys, and the names of tests.
  'tools/': {
    imports: [
      'action/report/catalogue',
      'infra/settings/own-keys',
      'lib/',
      'push/clients',
      'push/settings',
      'sandbox/',
      'src/settings/',
    ],
    starts: [
      'action/main',
      'push/cli',
      'push/worker',
      'src/node',
      'src/operator/server',
      'src/worker',
      'test/src/',
    ],
  },
  'demo/': { imports: shared, starts: everything },
  'bench/': { imports: [...shared, 'test/support/'], starts: everything },
  'test/': { imports: everything, starts: everything },
  './': { imports: ['test/support/'], starts: ['test/'] },
}

/** One source file and what it uses of this repository, as paths from the root. */
export interface Module {
  readonly path: string
  readonly imports: readonly string[]
  readonly starts: readonly string[]
}

/** Returns what a source file uses: imports (static, dynamic, types) and the programs whose paths it spells out. */
export function readModule(path: string, text: string, isFile: (path: string) => boolean): Module {
  const specifiers = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
  const imports = specifiers.filter(name => name.startsWith('.')).map(name => join(dirname(path), name))
  const starts = literalsOf(path, text)
    .filter(literal => isProgram(literal) && !specifiers.includes(literal))
    .flatMap(literal => [join(dirname(path), literal), join(literal)])
    .filter(isFile)
  return { path, imports: [...new Set(imports)], starts: [...new Set(starts)] }
}

function isProgram(path: string): boolean {
  return /\.[jt]s$/.test(path) && !path.endsWith('.d.ts')
}

function literalsOf(path: string, text: string): readonly string[] {
  const literals: string[] = []
  function visit(node: ts.Node): void {
    if (ts.isStringLiteralLike(node)) literals.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
  return literals
}

const innermost = Object.keys(rooms).sort((one, other) => other.length - one.length)

function roomOf(path: string): string {
  if (!path.includes('/')) return './'
  return innermost.find(room => path.startsWith(room)) ?? `${path.split('/', 1)[0]}/`
}

/** One use of another room. */
interface Arrow {
  readonly from: string
  readonly verb: 'imports' | 'starts'
  readonly to: string
}

function arrowsOf({ path, ...uses }: Module): readonly Arrow[] {
  const verbs = ['imports', 'starts'] as const
  return verbs
    .flatMap(verb => uses[verb].map(to => ({ from: path, verb, to })))
    .filter(({ from, to }) => roomOf(from) !== roomOf(to))
}

/** Returns the entry of the table that allows a use of another room. */
function permission({ from, verb, to }: Arrow): string | undefined {
  return rooms[roomOf(from)]?.[verb].find(allowed =>
    allowed.endsWith('/') ? to.startsWith(allowed) : to.replace(/\.(ts|cjs)$/, '') === allowed,
  )
}

/** Returns every use of another room that the table does not allow, as `from imports to`. */
export function forbiddenUses(modules: readonly Module[]): readonly string[] {
  return modules
    .flatMap(arrowsOf)
    .filter(arrow => permission(arrow) === undefined)
    .map(({ from, verb, to }) => `${from} ${verb} ${to}`)
}

/** Returns the groups of modules that import each other in a circle, types included, each group sorted by path. */
export function importCycles(modules: readonly Module[]): readonly (readonly string[])[] {
  const importsOf = new Map(modules.map(({ path, imports }) => [path, imports]))
  const reaches = new Map(modules.map(({ path }) => [path, reachableFrom(path, importsOf)]))
  const groups = modules.map(({ path }) =>
    [...(reaches.get(path) ?? [])].filter(other => reaches.get(other)?.has(path)).sort(),
  )
  return [...new Map(groups.filter(group => group.length > 0).map(group => [group.join(), group])).values()]
}

/**
 * Returns the circles of places that import each other, directly or through others, as the imports between them. Places are
 * folders side by side and, at the top of a room, its files. Deeper down, a file belongs to its folder.
 */
export function folderCycles(modules: readonly Module[]): readonly (readonly string[])[] {
  const uses = new Map<string, Map<string, string>>()
  for (const { path, imports } of modules) {
    for (const to of imports) {
      const places = placesOf(path, to)
      if (places === null) continue
      const [place, target] = places
      uses.set(place, (uses.get(place) ?? new Map()).set(target, `${path} imports ${to}`))
    }
  }
  const places = [...uses].map(([path, to]) => ({ path, imports: [...to.keys()], starts: [] }))
  return importCycles(places).map(circle =>
    circle.flatMap(place => circle.flatMap(other => uses.get(place)?.get(other) ?? [])),
  )
}

/** Returns the two places side by side that two files are in; null if they are in one, or share no room. */
function placesOf(from: string, to: string): readonly [string, string] | null {
  const [one, other] = [from.split('/'), to.split('/')]
  const depth = one.findIndex((name, index) => name !== other[index])
  const isFile = depth === one.length - 1 || depth === other.length - 1
  if (depth < 1 || (depth > 1 && isFile)) return null
  const placeIn = (parts: readonly string[]) => parts.slice(0, depth + 1).join('/')
  return [placeIn(one), placeIn(other)]
}

/** Modules that run where there is no Node: neither they nor what they import may need more than web standards. */
export const portable: readonly string[] = ['push/worker.ts']

/** Returns what a module needs besides this repository, itself or through others, as `from imports package`. Types do not count. */
export function packagesOf(
  entry: string,
  read = (path: string) => readFileSync(join(root, path), 'utf8'),
): readonly string[] {
  const uses: string[] = []
  const reached = new Set([entry])
  // A set also yields what is added on the way.
  for (const path of reached) {
    const { outputText } = ts.transpileModule(read(path), {
      compilerOptions: { verbatimModuleSyntax: true, module: ts.ModuleKind.ESNext },
    })
    for (const { fileName } of ts.preProcessFile(outputText, true, true).importedFiles) {
      if (fileName.startsWith('.')) reached.add(join(dirname(path), fileName))
      else uses.push(`${path} imports ${fileName}`)
    }
  }
  return uses
}

/** Returns every module that a module imports, directly or through others. */
function reachableFrom(path: string, importsOf: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>()
  function visit(imports: readonly string[] = []): void {
    for (const next of imports) {
      if (reached.has(next)) continue
      reached.add(next)
      visit(importsOf.get(next))
    }
  }
  visit(importsOf.get(path))
  return reached
}

/** Reads every source file that git knows or would add. */
export function readModules(): readonly Module[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.js']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  const files = new Set(listed.filter(path => isProgram(path) && existsSync(join(root, path))))
  return [...files]
    .filter(path => !path.startsWith('action/dist/'))
    .map(path => readModule(path, readFileSync(join(root, path), 'utf8'), file => files.has(file)))
}

/** Returns the rooms and what each uses of the others, one line each, with the number of modules behind each arrow. */
export function describeRooms(modules: readonly Module[]): string {
  return Object.keys(rooms)
    .map(room => {
      const inside = modules.filter(({ path }) => roomOf(path) === room)
      const uses = Map.groupBy(
        inside.flatMap(arrowsOf),
        arrow => `${arrow.verb} ${permission(arrow) ?? arrow.to}`,
      )
      const arrows = [...uses].map(([use, { length }]) => `${use} (${length})`).sort()
      return `${room.padEnd(16)}${String(inside.length).padStart(4)} modules  ${arrows.join(', ')}`.trimEnd()
    })
    .join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${describeRooms(readModules())}\n`)
}
