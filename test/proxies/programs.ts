import { debianProgram, NoProgram } from '../../tools/debian.ts'
import type { Recipe } from './running.ts'

/** Finds the proxies, and says why one did not run. */
export async function findProxies() {
  const found: (Recipe & { readonly name: 'nginx' | 'caddy' })[] = []
  for (const name of ['nginx', 'caddy'] as const) {
    try {
      const program = await debianProgram(name)
      for (const basePath of ['/_homeport', '']) found.push({ name, program, basePath })
    } catch (error) {
      if (!(error instanceof NoProgram)) throw error
      process.stderr.write(`${name} did not run: ${error.message}\n`)
    }
  }
  return found
}
