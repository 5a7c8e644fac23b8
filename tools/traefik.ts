import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from './cache.ts'
import { isExecutable } from './find-program.ts'
import { installed, installTimeoutMs } from './registry-program.ts'

const run = promisify(execFile)

/** The version of Traefik that the tests run. Go checks its module against the checksum database. */
const traefikVersion = '3.7.13'

const inCache = `traefik-${traefikVersion}`
const traefikModule = 'github.com/traefik/traefik/v3'
const acmeModule = 'github.com/go-acme/lego/v5'
/** Traefik names a later commit of this fork, which not every module proxy has. Only its basic and digest auth need it. */
const passwordAuth =
  'github.com/abbot/go-http-auth=github.com/containous/go-http-auth@v0.4.1-0.20200324110947-a37a7636d23e'
const maxBuffer = 16 * 1024 * 1024

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

/** Returns the path of the Traefik that was built earlier. */
export async function findTraefik(): Promise<string | null> {
  const built = join(await cacheFolder(), inCache, 'traefik')
  return (await isExecutable(built)) ? built : null
}

/** Returns the path of Traefik, built once into the cache. @throws CommandError with one sentence if it cannot be built */
export const traefik = (): Promise<string> => installed(inCache, 'traefik', 'Go 1.26', build)

/**
 * Builds Traefik as the main module: `go install` refuses it, since `replace` lines count only there. Returns the folder
 * with the program.
 */
async function build(work: string): Promise<string> {
  const source = join(work, 'traefik')
  const acme = join(work, 'lego')
  const kept = join(work, 'kept')
  const env = { ...process.env, CGO_ENABLED: '0' }
  const goIn = async (cwd: string, ...args: readonly string[]) =>
    (await run('go', args, { cwd, env, timeout: installTimeoutMs, maxBuffer })).stdout
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
