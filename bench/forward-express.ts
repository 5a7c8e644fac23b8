import { randomBytes } from 'node:crypto'
import createStore from 'connect-pg-simple'
import express from 'express'
import session from 'express-session'
import pg from 'pg'

/**
 * A forward check as people commonly build it on express-session with connect-pg-simple: each request reads its session
 * from PostgreSQL, so that logout revokes it. One route answers what the session holds, and sees no deactivation. The other
 * reads the employee too, as Passport's `deserializeUser` does. Neither has bindings or a log. `disableTouch` spares both a
 * write for each check.
 */
const env = (name: string) => process.env[name] ?? ''
const lifetimeMs = 8 * 3_600_000

interface User {
  readonly username: string
  readonly resourceId: string
  readonly isAdmin: boolean
}

declare module 'express-session' {
  interface SessionData {
    user: User
  }
}

const pool = new pg.Pool({ connectionString: env('DATABASE_URL'), max: 10 })
const Store = createStore(session)
const app = express()
app.disable('x-powered-by')
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

async function readEmployee(column: 'id' | 'user_name', value: unknown): Promise<User | null> {
  const { rows } = await pool.query<{ id: string; user_name: string; is_active: boolean; is_admin: boolean }>(
    {
      name: column,
      text: `SELECT id, user_name, is_active, is_admin FROM employees WHERE ${column} = $1`,
      values: [value],
    },
  )
  const [employee] = rows
  if (!employee?.is_active) return null
  return { username: employee.user_name, resourceId: employee.id, isAdmin: employee.is_admin }
}

function answer(response: express.Response, user: User | null): void {
  if (!user) {
    response.sendStatus(401)
    return
  }
  response
    .status(204)
    .set({
      'x-homeport-username': encodeURIComponent(user.username),
      'x-homeport-resource-id': user.resourceId,
      'x-homeport-is-admin': user.isAdmin ? '1' : '0',
    })
    .end()
}

/** Signs anybody in, since only what follows is measured. */
app.get('/sign-in', async (request, response) => {
  const user = await readEmployee('user_name', request.query['person'])
  if (user) request.session.user = user
  answer(response, user)
})

app.get('/session-only', (request, response) => answer(response, request.session.user ?? null))

app.get('/api/auth/forward', async (request, response) => {
  const { user } = request.session
  answer(response, user ? await readEmployee('id', user.resourceId) : null)
})

app.post('/api/auth/logout', (request, response) => {
  request.session.destroy(error => void response.sendStatus(error ? 500 : 204))
})

app.listen(Number(env('PORT')), '127.0.0.1', () => void process.stdout.write('listening\n'))
