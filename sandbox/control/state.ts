import { type DuplicateCode, duplicateCodes, type ErrorForm, errorForms } from '../cloudflare/errors.ts'
import type { Limits } from '../cloudflare/limits.ts'
import type { ReplicationLag } from '../cloudflare/replication-lag.ts'
import { readContents } from '../cloudflare/state.ts'
import type { Store } from '../cloudflare/store.ts'
import type { WorkersRuntime } from '../cloudflare/workers/runtime.ts'
import { type EchoAnswer, readEchoAnswers } from '../echo/echo.ts'
import { type Clock, formatInstant } from '../http/clock.ts'
import { type Faults, readFaults } from '../http/faults.ts'
import type { Journal } from '../http/journal.ts'
import type { SeededIds } from '../http/seeded-ids.ts'
import { type JsonObject, readObject, readOneOf, ValidationError } from '../http/validation.ts'

/** What tests may read and change. */
export type Controlled = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: SeededIds
  readonly journal: Journal
  readonly faults: Faults
  readonly limits: Limits
  readonly replicationLag: ReplicationLag
  /** For what Workers wrote to their console. */
  readonly runtime: WorkersRuntime
  echo: readonly EchoAnswer[]
  errorForm: ErrorForm
  duplicateCode: DuplicateCode
}

/** Everything that `GET /state` of `control` shows. */
export const stateOf = ({ store, echo, faults, errorForm, duplicateCode }: Controlled): JsonObject => ({
  ...store.contents(),
  echo,
  faults: faults.remaining(),
  errorForm,
  duplicateCode,
})

const readDuplicateCode = (value: unknown): DuplicateCode => {
  const code = duplicateCodes.find(known => known === value)
  if (code === undefined) {
    throw new ValidationError(`duplicateCode must be one of ${duplicateCodes.join(', ')}.`)
  }
  return code
}

/**
 * Puts what `PUT /state` of `control` sends in the place of what there is. Reads everything before it changes anything,
 * so that a bad request leaves all as it was.
 * @throws ValidationError
 */
export const putState = (controlled: Controlled, value: unknown): void => {
  const { store, ids, clock } = controlled
  const body = readObject(value, 'The body', [
    'zones',
    'records',
    'tokens',
    'echo',
    'faults',
    'errorForm',
    'duplicateCode',
  ])
  const now = formatInstant(clock.now())
  const contents = readContents(body, { ids, now, present: store.contents() })
  const echo =
    body['echo'] === undefined ? undefined : readEchoAnswers({ answers: body['echo'] }, controlled.echo)
  const faults = body['faults'] === undefined ? undefined : readFaults(body['faults'])
  const errorForm =
    body['errorForm'] === undefined ? undefined : readOneOf(body['errorForm'], 'errorForm', errorForms)
  const duplicateCode =
    body['duplicateCode'] === undefined ? undefined : readDuplicateCode(body['duplicateCode'])
  store.replace(contents)
  // What tests put is there at once, for everybody.
  controlled.replicationLag.end()
  if (echo) controlled.echo = echo
  if (faults) controlled.faults.replace(faults)
  if (errorForm) controlled.errorForm = errorForm
  if (duplicateCode) controlled.duplicateCode = duplicateCode
}
