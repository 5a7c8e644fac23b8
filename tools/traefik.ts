import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, fromCache } from './cache.ts'
import { findProgram, isExecutable } from './find-program.ts'
import { threeTimes } from './three-times.ts'

const run = promisify(execFile)

/** The version of Traefik that the tests run. Go checks its module against the checksum database. */
const traefikVersion = '3.7.13'

const inCache = `traefik-${traefikVersion}`
const traefikModule = 'github.com/traefik/traefik/v3'
const acmeModule = 'github.com/go-acme/lego/v5'
/** Traefik names a later commit of this fork, which not every module proxy has. Only its basic and digest auth need it. */
const passwordAuth =
  'github.com/abbot/go-http-auth=github.com/containous/go-http-auth@v0.4.1-0.20200324110947-a37a7636d23e'
/** A cold build on two busy cores took a quarter of an hour. */
const buildTimeoutMs = 40 * 60 * 1000
const maxBuildOutputBytes = 16 * 1024 * 1024

/**
 * What Traefik embeds for other builds of it, where its `go.mod` expects it: the module as published lacks this folder,
 * since it is a module of its own.
 */
const extension = {
  'go.mod': 'module github.com/traefik/traefik/dynamic/ext\n',
  'ext.go': 'package ext\n\ntype HTTP struct{}\n\ntype Router struct{}\n',
}

/** In place of 200 packages for services that prove a domain by DNS: not every module proxy has all of them. */
const noDnsProviders = `package dns

import (
	"errors"

	"${acmeModule}/challenge"
)

func NewDNSChallengeProviderByName(string) (challenge.Provider, error) {
	return nil, errors.New("this build has no DNS providers")
}
`

/** Traefik could be neither found nor built. The message says what to install. */
export class NoTraefik extends Error {
  override readonly name = 'NoTraefik'
}

/** Returns the path of the Traefik that was built earlier. */
export async function findTraefik(): Promise<string | null> {
  const built = join(await cacheFolder(), inCache, 'traefik')
  return (await isExecutable(built)) ? built : null
}

/**
 * Returns the path of Traefik, built once into the cache.
 * @param say receives progress messages, one line each
 * @throws NoTraefik
 */
export async function traefik(say: (line: string) => void): Promise<string> {
  const found = await findTraefik()
  if (found !== null) return found
  const go = await findProgram('go', (process.env['PATH'] ?? '').split(delimiter))
  if (go === undefined) throw new NoTraefik('Traefik is not built, and Go is not on PATH. Install Go 1.26.')
  say(`Building Traefik ${traefikVersion} with ${go}. This takes several minutes, once.`)
  try {
    return await threeTimes(() => fromCache(inCache, 'traefik', work => build(go, work)))
  } catch (cause) {
    throw new NoTraefik(`Go could not build Traefik ${traefikVersion}: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/**
 * Builds Traefik as the main module: `go install` refuses it, since `replace` lines count only there. Returns the folder
 * with the program.
 */
async function build(go: string, work: string): Promise<string> {
  const source = join(work, 'traefik')
  const acme = join(work, 'lego')
  const kept = join(work, 'kept')
  const env = { ...process.env, CGO_ENABLED: '0' }
  const goIn = async (cwd: string, ...args: readonly string[]) =>
    (await run(go, args, { cwd, env, timeout: buildTimeoutMs, maxBuffer: maxBuildOutputBytes })).stdout
  /** Copies a module, which Go keeps read-only. */
  async function copyModule(cwd: string, module: string, to: string): Promise<void> {
    const { Dir } = JSON.parse(await goIn(cwd, 'mod', 'download', '-json', module)) as { Dir: string }
    await cp(Dir, to, { recursive: true })
    await run('chmod', ['-R', 'u+w', to])
  }
  await copyModule(work, `${traefikModule}@v${traefikVersion}`, source)
  const extensionFolder = join(source, 'pkg/config/dynamic/ext')
  await mkdir(extensionFolder)
  for (const [name, text] of Object.entries(extension)) await writeFile(join(extensionFolder, name), text)
  await copyModule(source, acmeModule, acme)
  await writeFile(join(acme, 'providers/dns/zz_gen_dns_providers.go'), noDnsProviders)
  await goIn(source, 'mod', 'edit', `-replace=${passwordAuth}`, `-replace=${acmeModule}=${acme}`)
  const flags = `-s -w -X ${traefikModule}/pkg/version.Version=${traefikVersion}`
  const output = ['-trimpath', '-buildvcs=false', '-ldflags', flags, '-o', join(kept, 'traefik')]
  // Lets Go add the checksum of the fork.
  await goIn(source, 'build', '-mod=mod', ...output, './cmd/traefik')
  return kept
}
