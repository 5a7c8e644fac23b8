/**
 * Returns the variable that says where Node keeps compiled modules, for a program that gets an environment of its own.
 * Tests set it (`vitest.config.ts`), since compiling takes most of the time of a short run. Empty if it is not set.
 */
export function compileCache(): Readonly<Record<string, string>> {
  const folder = process.env['NODE_COMPILE_CACHE']
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}
