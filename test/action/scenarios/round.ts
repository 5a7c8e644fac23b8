import { systemClock } from '../../../action/deadline.ts'
import { exchange } from '../../../action/http.ts'
import { outputsOf } from '../../../action/report/outputs.ts'
import { problemsOf, warningsOf } from '../../../action/report/sentences.ts'
import { summaryOf } from '../../../action/report/summary.ts'
import { runRound } from '../../../action/round.ts'
import { roundOptions } from '../../support/round-options.ts'
import type { Stage } from '../../support/stage.ts'
import { inputsOf } from '../inputs/reading.ts'

/** Runs a round in this process, with real requests to the sandbox of a stage. Returns what a report says of it. */
export async function runRoundOn(stage: Stage, texts: Readonly<Record<string, string>> = {}) {
  stage.control.clearJournal()
  const round = await runRound(inputsOf(stage.inputs(texts)), exchange, systemClock, roundOptions())
  return {
    ...outputsOf(round),
    warnings: warningsOf(round),
    problems: [...problemsOf(round).keys()],
    summary: summaryOf(round).replaceAll('\\', ''),
  }
}
