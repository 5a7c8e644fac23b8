import { traefik } from '../../tools/traefik.ts'

/** Builds Traefik if the command names its tests: `npm test -- --project proxies traefik`. It takes too long for every run. */
export async function setup(): Promise<void> {
  if (!process.argv.slice(2).some(argument => argument.includes('traefik'))) return
  process.stderr.write('Traefik is built first, unless it was. This takes several minutes, once.\n')
  await traefik()
}
