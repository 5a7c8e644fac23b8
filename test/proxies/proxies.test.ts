import { describe } from 'vitest'
import { testProxy } from './walk.ts'

const recipes = (['nginx', 'caddy'] as const).flatMap(name =>
  ['/_homeport', ''].map(basePath => ({ name, basePath })),
)

describe.each(recipes)('$name with BASE_PATH=$basePath, as the document configures it,', testProxy)
