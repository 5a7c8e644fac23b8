/** A mutant in Stryker's report, with the text of its line. */
export interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
  readonly coveredBy?: readonly string[]
  readonly line?: string
}

/** A mutant that no test finds, and why none has to. The text of its line identifies it, because line numbers change. */
export interface Survivor {
  readonly file: string
  /** The trimmed line that the fault starts in. */
  readonly line: string
  readonly replacement: string
  readonly why: string
}

export interface Verdict {
  readonly isGood: boolean
  readonly lines: readonly string[]
}

const found = new Set(['Killed', 'Timeout'])
const missed = new Set(['Survived', 'NoCoverage'])

/** Judges a target: its score, and whether exactly its survivors are explained. */
export function verdictOn(
  file: string,
  mutants: readonly Mutant[],
  explained: readonly Survivor[],
  minScore: number,
): Verdict {
  const killed = mutants.filter(({ status }) => found.has(status)).length
  const survived = mutants.filter(({ status }) => missed.has(status))
  const valid = killed + survived.length
  const score = valid === 0 ? 0 : (100 * killed) / valid
  const explains = ({ line, replacement }: Survivor, mutant: Mutant) =>
    line === mutant.line && replacement === (mutant.replacement ?? '')
  const unexplained = survived.filter(mutant => !explained.some(survivor => explains(survivor, mutant)))
  const stale = explained.filter(survivor => !survived.some(mutant => explains(survivor, mutant)))
  const isGood = score >= minScore && unexplained.length === 0 && stale.length === 0
  return {
    isGood,
    lines: [
      `${file}: ${score.toFixed(1)} % (${killed} of ${valid} found, ${explained.length} explained)`,
      ...(score < minScore ? [`  The score is below ${minScore} %.`] : []),
      ...unexplained.map(
        ({ location, status, mutatorName, line, replacement }) =>
          `  ${status} ${location.start.line}:${location.start.column} ${mutatorName}: ${line} -> ${replacement}`,
      ),
      ...stale.map(({ line, replacement }) => `  Explained, but found or gone: ${line} -> ${replacement}`),
    ],
  }
}
