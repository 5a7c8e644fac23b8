import { registerHooks } from 'node:module'

/**
 * Makes Stryker take this project's Vitest and TypeScript. It is installed in the cache without them, and tests run only
 * in the Vitest that they import.
 */
registerHooks({
  resolve(specifier, context, next) {
    const isStryker = context.parentURL?.includes('/@stryker-mutator/')
    const isPeer = /^(typescript|vitest)(\/|$)/.test(specifier)
    return next(specifier, isStryker && isPeer ? { ...context, parentURL: import.meta.url } : context)
  },
})
