import express from 'express'
import pg from 'pg'

/** What the servers on express have in common: their variables, the query for an employee, and how they listen. */

export interface User {
  readonly username: string
  readonly resourceId: string
  readonly isAdmin: boolean
}

interface Row {
  readonly id: string
  readonly user_name: string
  readonly is_active: boolean
  readonly is_admin: boolean
}

export const env = (name: string) => process.env[name] ?? ''
export const pool = new pg.Pool({ connectionString: env('DATABASE_URL'), max: 10 })
export const app = express().disable('x-powered-by')

/** Finds an active employee by a prepared statement. */
export async function readEmployee(column: 'id' | 'user_name', value: unknown): Promise<User | null> {
  const text = `SELECT id, user_name, is_active, is_admin FROM employees WHERE ${column} = $1`
  const { rows } = await pool.query<Row>({ name: column, text, values: [value] })
  const [employee] = rows
  if (!employee?.is_active) return null
  return { username: employee.user_name, resourceId: employee.id, isAdmin: employee.is_admin }
}

export function listen(): void {
  app.listen(Number(env('PORT')), '127.0.0.1', () => void process.stdout.write('listening\n'))
}
