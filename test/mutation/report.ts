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

/** The mutants of a file. */
export interface Measured {
  readonly file: string
  readonly mutants: readonly Mutant[]
}

const isKilled = ({ status }: Mutant): boolean => found.has(status)
const hasSurvived = ({ status }: Mutant): boolean => missed.has(status)

function explains({ line, replacement }: Survivor, mutant: Mutant): boolean {
  return line === mutant.line && replacement === (mutant.replacement ?? '')
}

/** Returns the share of valid mutants that the tests found, in percent. */
function scoreOf(mutants: readonly Mutant[]): number {
  const killed = mutants.filter(isKilled).length
  const valid = killed + mutants.filter(hasSurvived).length
  return valid === 0 ? 0 : (100 * killed) / valid
}

function describe({ location, status, mutatorName, line, replacement }: Mutant): string {
  return `${status} ${location.start.line}:${location.start.column} ${mutatorName}: ${line} -> ${replacement}`
}

/** Judges a sample of several files: the score of all, and whether every survivor is explained. */
export function verdictOnSample(
  measured: readonly Measured[],
  explained: readonly Survivor[],
  minScore: number,
): Verdict {
  const all = measured.flatMap(({ mutants }) => mutants)
  const score = scoreOf(all)
  const unexplained = measured.flatMap(({ file, mutants }) =>
    mutants
      .filter(
        mutant => hasSurvived(mutant) && !explained.some(one => one.file === file && explains(one, mutant)),
      )
      .map(mutant => `  ${file}: ${describe(mutant)}`),
  )
  const survived = all.filter(hasSurvived).length
  const killed = all.filter(isKilled).length
  return {
    isGood: score >= minScore && unexplained.length === 0,
    lines: [
      `A sample of ${measured.length} files: ${score.toFixed(1)} % (${killed} of ${killed + survived} found, ${survived - unexplained.length} explained)`,
      ...(score < minScore ? [`  The score is below ${minScore} %.`] : []),
      ...unexplained,
    ],
  }
}

/** Judges a target: its score, and whether exactly its survivors are explained. */
export function verdictOn(
  file: string,
  mutants: readonly Mutant[],
  explained: readonly Survivor[],
  minScore: number,
): Verdict {
  const killed = mutants.filter(isKilled).length
  const survived = mutants.filter(hasSurvived)
  const score = scoreOf(mutants)
  const unexplained = survived.filter(mutant => !explained.some(survivor => explains(survivor, mutant)))
  const stale = explained.filter(survivor => !survived.some(mutant => explains(survivor, mutant)))
  const isGood = score >= minScore && unexplained.length === 0 && stale.length === 0
  return {
    isGood,
    lines: [
      `${file}: ${score.toFixed(1)} % (${killed} of ${killed + survived.length} found, ${explained.length} explained)`,
      ...(score < minScore ? [`  The score is below ${minScore} %.`] : []),
      ...unexplained.map(mutant => `  ${describe(mutant)}`),
      ...stale.map(({ line, replacement }) => `  Explained, but found or gone: ${line} -> ${replacement}`),
    ],
  }
}
