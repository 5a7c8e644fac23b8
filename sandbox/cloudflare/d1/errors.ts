import { type Refusal, refuse } from '../errors.ts'

/** @param uuid as it was asked for */
export const databaseMissing = (uuid: string): Refusal =>
  refuse(404, 'd1.missing', { code: 7404, message: `The database ${uuid} could not be found` })

export const nameTaken: Refusal = refuse(400, 'd1.name-taken', {
  code: 7502,
  message: 'A database with that name already exists',
})

/** @param detail what is wrong with the body */
export const malformed = (detail: string): Refusal =>
  refuse(400, 'd1.malformed', { code: 7400, message: `The request is malformed: ${detail}` })

/** @param message SQLite's own */
export const failed = (message: string): Refusal => refuse(400, 'd1.failed', { code: 7500, message })
