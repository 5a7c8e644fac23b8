import { isBuiltin, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { TestRunner } from 'vitest'

/** Matches a relative specifier of a source. The linter demands the whole name of the file. */
const wholeName = /^\.\.?\/.*\.ts$/

// vitest's own hook sends every import to the main process, which needs it only in watch mode. This one runs first.
registerHooks({
  resolve(specifier, context, next) {
    if (isBuiltin(specifier)) {
      const url = `node:${specifier.replace(/^node:/, '')}`
      return { url, format: 'builtin', shortCircuit: true }
    }
    if (!context.parentURL || !wholeName.test(specifier)) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
  },
})

/**
 * Imports a test file by its plain URL. vitest's own runner adds the time, so that Node's compile cache never has the file: each
 * run removes the types of every test file and compiles it, and each worker loads what removes types.
 */
export default class extends TestRunner {
  override importFile(path: string): Promise<unknown> {
    return import(pathToFileURL(path).href)
  }
}
