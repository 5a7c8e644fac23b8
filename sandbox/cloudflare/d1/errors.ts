import { type Refusal, refuse } from '../errors.ts'

/** Returns the refusal for a database that does not exist. */
export const databaseMissing = (uuid: string): Refusal =>
  // observed: A request for a database that does not exist gets 404 with code 7404 and its id. [messages of wrangler in many
  // repositories, to 2026-09; the status is assumed]
  refuse(404, { code: 7404, message: `The database ${uuid} could not be found` })

/** The refusal of a name that is already used. */
// observed: A name that is already used is refused with code 7502, even if the response to the first creation was lost and a
// provider repeats it. Assumed: status 400. [messages of wrangler in many repositories, to 2026-09; the repetition: Terraform
// provider 5.22, run against an emulator]
export const nameTaken: Refusal = refuse(400, {
  code: 7502,
  message: 'A database with that name already exists',
})

/** Returns the refusal of an invalid body with the reason. */
export const malformed = (detail: string): Refusal =>
  // observed: An invalid body is refused with code 7400, "The request is malformed" and the reason. Assumed: status 400.
  // [workers-sdk issue 4636, 2023-12]
  refuse(400, { code: 7400, message: `The request is malformed: ${detail}` })

/** Returns the refusal for SQL that fails, with the message of SQLite. */
// observed: If SQL fails, the request gets 400 with code 7500, the message of SQLite and ": SQLITE_ERROR". [messages of wrangler
// in many repositories, to 2026-09; workers-sdk issue 4020]
export const sqlFailed = (message: string): Refusal => refuse(400, { code: 7500, message })
