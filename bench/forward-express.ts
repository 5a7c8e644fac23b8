import { randomBytes } from 'node:crypto'
import createStore from 'connect-pg-simple'
import type { Response } from 'express'
import session from 'express-session'
import { app, listen, pool, readEmployee, type User } from './employee-server.ts'

/**
 * A forward check as people commonly build it on express-session with connect-pg-simple: each request reads its session
 * from PostgreSQL, so that logout revokes it. One route answers what the session holds, and sees no deactivation. The other
 * reads the employee too, as Passport's `deserializeUser` does. Neither has bindings or a log. `disableTouch` spares both a
 * write for each check.
 */
const lifetimeMs = 8 * 3_600_000

declare module 'express-session' {
  interface SessionData {
    user: User
  }
}

const Store = createStore(session)
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

function answer(response: Response, user: User | null): void {
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

listen()
