import { routes } from '../routes.ts'
import { identityHeaders } from './headers.ts'
import { problems } from './problem.ts'

const text = { type: 'string' }

/** Failure of any operation. Its code determines its status and meaning. */
const failure = {
  description: 'Failure',
  content: { 'application/problem+json': { schema: schemaOf('Problem') } },
}
const problem = objectOf({
  type: text,
  title: text,
  status: { type: 'integer' },
  detail: text,
  code: { enum: Object.keys(problems) },
  correlationId: text,
})
const withUser = jsonOf('The signed-in user', objectOf({ user: schemaOf('User') }))
const withUserAndReturn = jsonOf('The signed-in user, and the path to go to', {
  ...objectOf({ user: schemaOf('User') }),
  properties: { user: schemaOf('User'), return: text },
})

const session = {
  get: operation('Return the signed-in user, with current data from the employee store', { 200: withUser }),
}

function objectOf(properties: Readonly<Record<string, object>>) {
  return { type: 'object', required: Object.keys(properties), properties }
}

function schemaOf(name: string) {
  return { $ref: `#/components/schemas/${name}` }
}

function jsonOf(description: string, schema: object) {
  return { description, content: { 'application/json': { schema } } }
}

/** Describes an operation without a body; `responses` are its successes. */
function operation(summary: string, responses: object, parameters: readonly string[] = []) {
  return {
    summary,
    parameters: parameters.map(name => ({ name, in: 'query', schema: text })),
    responses: { ...responses, default: failure },
  }
}

/** The API in OpenAPI 3.1, as GET /openapi.json returns it. */
export const openapi = {
  openapi: '3.1.0',
  info: { title: 'Homeport sign-in', version: '1' },
  paths: {
    [routes.loginUrl]: {
      get: operation(
        'Start a sign-in. Returns the URL to send the browser to. prompt=select_account lets the user choose an account. return is the path on this origin to go to afterwards, at most 1500 bytes',
        { 200: jsonOf('The URL', objectOf({ url: text })) },
        ['prompt', 'return'],
      ),
    },
    [routes.callback]: {
      get: operation(
        'Complete a sign-in with Entra’s parameters. Sets the session cookie. The response has return only if the sign-in started with it',
        { 200: withUserAndReturn },
        ['code', 'state', 'iss', 'error', 'error_description'],
      ),
    },
    [routes.session]: session,
    [routes.authSession]: session,
    [routes.forward]: {
      get: operation(
        'Return the signed-in user to a reverse proxy, in headers. The name is percent-encoded, the ID and the email only where they must be. cookie=rest returns their other cookies; assertion=yes returns a JWT; path=open lets everybody pass, without an identity',
        {
          204: {
            description: 'Signed in',
            headers: Object.fromEntries(identityHeaders.map(name => [name, { schema: text }])),
          },
          302: { description: 'To the sign-in page: a page without a session, with navigate=redirect' },
          303: { description: 'A form without a session, with navigate=redirect' },
        },
        ['navigate', 'cookie', 'path', 'assertion'],
      ),
    },
    [routes.logout]: {
      post: operation('End the session everywhere', {
        200: jsonOf('Ended. Send the browser to the URL, to sign out at Entra too', objectOf({ url: text })),
        204: { description: 'Ended' },
      }),
    },
    [routes.logoutAll]: {
      post: operation('End every session of the signed-in user', { 204: { description: 'Ended' } }),
    },
    [routes.health]: {
      get: operation('Report whether the employee store can be used', {
        200: jsonOf('Usable, maybe not by all', objectOf({ status: { enum: ['ok', 'read-only'] } })),
        503: jsonOf('Unusable', objectOf({ status: text })),
      }),
    },
    [routes.publicKeys]: {
      get: operation('Return the public keys of assertions', { 200: jsonOf('JWK set', { type: 'object' }) }),
    },
    [routes.openapi]: {
      get: operation('Return this description', { 200: jsonOf('OpenAPI', { type: 'object' }) }),
    },
  },
  components: {
    schemas: {
      User: objectOf({ username: text, resourceId: text, isAdmin: { type: 'boolean' } }),
      Problem: {
        ...problem,
        properties: { ...problem.properties, declined: { type: 'boolean' } },
      },
    },
  },
}
