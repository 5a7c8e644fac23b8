import { readFile, writeFile } from 'node:fs/promises'

/** Marks around a room's figures in docs/development/benchmarks.md. The prose outside is written by hand. */
const markBefore = (name: string) => `<!-- Figures of ${name}, written by npm run bench. -->`
const markAfter = (name: string) => `<!-- End of the figures of ${name}. -->`

/**
 * Returns the page with other figures for a room.
 * @throws Error if the page does not have the room's two marks, once each and in order
 */
export function withFigures(page: string, name: string, figures: string): string {
  const [before, ...behind] = page.split(markBefore(name))
  const [, after, ...rest] = behind.join('').split(markAfter(name))
  if (before === undefined || behind.length !== 1 || after === undefined || rest.length > 0) {
    throw new Error(
      `docs/development/benchmarks.md needs "${markBefore(name)}" and "${markAfter(name)}", once each.`,
    )
  }
  return [before, markBefore(name), `\n\n${figures.trim()}\n\n`, markAfter(name), after].join('')
}

/**
 * Measures rooms one after another and writes each one's figures into the page at once, so that a later failure loses
 * nothing. Rooms that fail keep their figures.
 * @param measure returns null if the room failed
 * @returns the names of the rooms that failed
 */
export async function fillPage(
  file: string,
  names: readonly string[],
  measure: (name: string) => Promise<string | null>,
): Promise<readonly string[]> {
  const failed: string[] = []
  for (const name of names) {
    const figures = await measure(name)
    if (figures === null) failed.push(name)
    else await writeFile(file, withFigures(await readFile(file, 'utf8'), name, figures))
  }
  return failed
}
