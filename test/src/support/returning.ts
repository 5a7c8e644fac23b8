import type { Stage } from './stage.ts'

/** Hires a person. Returns them, a visitor whom the provider has just sent back, and the parameters of the callback. */
export async function returning(stage: Stage, { variant = 'main', query = '' } = {}) {
  const person = await stage.hire()
  const visitor = stage.visitor(variant)
  const url = await visitor.start(query)
  return { ...person, visitor, url, returned: await visitor.visitProvider(url, person.account) }
}
