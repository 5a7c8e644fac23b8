import { type Refusal, refuse } from '../errors.ts'

/** Returns the refusal for a database that does not exist. */
export const databaseMissing = (uuid: string): Refusal =>
  refuse(404, 'd1.missing', { code: 7404, message: `The database ${uuid} could not be found` })

/** The refusal of a name that is already used. */
export const nameTaken: Refusal = refuse(400, 'd1.name-taken', {
  code: 7502,
  message: 'A database with that name already exists',
})

/** Returns the refusal of an invalid body with the reason. */
export const malformed = (detail: string): Refusal =>
  refuse(400, 'd1.malformed', { code: 7400, message: `The request is malformed: ${detail}` })

/** Returns the refusal for SQL that fails, with the message of SQLite. */
export const sqlFailed = (message: string): Refusal => refuse(400, 'd1.failed', { code: 7500, message })
