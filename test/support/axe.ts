import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { root } from '../../tools/bundle.ts'

/** Source of axe. Its types need the DOM's. */
let source: string | undefined

/** Returns the accessibility problems that axe finds on a page: the rule, and the elements that break it. */
export async function findAccessibilityProblems(page: Page): Promise<readonly string[][]> {
  source ??= await readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')
  await page.evaluate(source)
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()')
  return found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
}
