import { randomBytes } from 'node:crypto'
import createStore from 'connect-pg-simple'
import express from 'express'
import session from 'express-session'
import pg from 'pg'

/**
 * A forward check as people commonly build it on express-session with connect-pg-simple: each request reads its session from
 * PostgreSQL, so that logout revokes it, and the employee, as Passport's `deserializeUser` does. It has no bindings and no log.
 * `disableTouch` spares it a write for each check.
 */
const lifetimeMs = 8 * 3_600_000

interface Employee {
  readonly id: string
  readonly user_name: string
  readonly is_active: boolean
  readonly is_admin: boolean
}

declare module 'express-session' {
  interface SessionData {
    employeeId: string
  }
}

const env = (name: string) => process.env[name] ?? ''
const pool = new pg.Pool({ connectionString: env('DATABASE_URL'), max: 10 })
const Store = createStore(session)
const app = express().disable('x-powered-by')
app.use(
  session({
    name: 'session',
    secret: randomBytes(32).toString('hex'),
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', maxAge: lifetimeMs },
    store: new Store({ pool, createTableIfMissing: true, disableTouch: true }),
  }),
)

/** Signs anybody in, since only what follows is measured. */
app.get('/sign-in', (request, response) => {
  request.session.employeeId = String(request.query['id'])
  response.sendStatus(204)
})

app.get('/api/auth/forward', async (request, response) => {
  const { employeeId } = request.session
  // A prepared statement.
  const text = 'SELECT id, user_name, is_active, is_admin FROM employees WHERE id = $1'
  const { rows } = await pool.query<Employee>({ name: 'employee', text, values: [employeeId ?? null] })
  const [employee] = rows
  if (!employee?.is_active) {
    response.sendStatus(401)
    return
  }
  response
    .status(204)
    .set({
      'x-homeport-username': encodeURIComponent(employee.user_name),
      'x-homeport-resource-id': employee.id,
      'x-homeport-is-admin': employee.is_admin ? '1' : '0',
    })
    .end()
})

app.post('/api/auth/logout', (request, response) => {
  request.session.destroy(error => void response.sendStatus(error ? 500 : 204))
})

app.listen(Number(env('PORT')), '127.0.0.1')
