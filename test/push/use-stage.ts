import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type Stage, startStage } from '../support/stage.ts'
import { first, hostLine } from './endpoint.ts'

/** No client may find a word of success in a failure: inadyn and OpenWrt look for them anywhere. */
export const success = /good|nochg|ok|true|updated|success/i

/** The one list of a ping for several names. */
export const zoneList = 'GET dns_records?per_page=1000'

/** Starts a sandbox for the tests of a file, which `take` gets. Each begins with one record. */
export function useStage(take: (stage: Stage) => void) {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage()
    take(stage)
  })
  afterAll(() => stage.close())
  beforeEach(() => stage.setRecords({ content: first }))
  afterEach(() => {
    stage.setFaults()
    stage.control.clearJournal()
  })
  return {
    /** Returns what the zone holds, a line for each record. */
    contents: () => stage.records().map(({ name, type, content }) => `${name} ${type} ${content}`),
    /** Returns how many requests could change something. */
    writes: () => stage.journal().filter(({ method }) => method !== 'GET').length,
  }
}

/** Returns lines of HOSTS for names with these types, which have one password. */
export async function hostLines(names: readonly string[], types = 'A'): Promise<string> {
  return (await Promise.all(names.map(name => hostLine(name, types)))).join('\n')
}
