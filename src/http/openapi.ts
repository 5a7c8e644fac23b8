import { routes } from '../routes.ts'
import { problems } from './problem.ts'

const text = { type: 'string' }
const object = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
})
const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const inJson = (description: string, schema: object) => ({
  description,
  content: { 'application/json': { schema } },
})

/** Any failure: its status and what it means follow from its code. */
const failure = {
  description: 'Failure',
  content: { 'application/problem+json': { schema: refer('Problem') } },
}
const withUser = inJson('Who is signed in', object({ user: refer('User') }))

/** An operation without a body; `responses` are its successes. */
const operation = (summary: string, responses: object, parameters: readonly string[] = []) => ({
  summary,
  parameters: parameters.map(name => ({ name, in: 'query', schema: text })),
  responses: { ...responses, default: failure },
})

/** The interface in OpenAPI 3.1, as GET /openapi.json gives it. */
export const openapi = {
  openapi: '3.1.0',
  info: { title: 'Homeport sign-in', version: '1' },
  paths: {
    [routes.loginUrl]: {
      get: operation(
        'Start a sign-in: where to send the browser. prompt=select_account has the provider ask for the account',
        { 200: inJson('The address', object({ url: text })) },
        ['prompt'],
      ),
    },
    [routes.callback]: {
      get: operation(
        'Complete a sign-in with what the provider sent; sets the session cookie',
        { 200: withUser },
        ['code', 'state', 'error', 'error_description'],
      ),
    },
    [routes.session]: {
      get: operation('Who is signed in, as the employee store says now', { 200: withUser }),
    },
    [routes.forward]: {
      get: operation('The same for a reverse proxy, in headers; the name is percent-encoded', {
        204: {
          description: 'Signed in',
          headers: Object.fromEntries(
            ['Username', 'Resource-Id', 'Is-Admin'].map(name => [`X-Homeport-${name}`, { schema: text }]),
          ),
        },
      }),
    },
    [routes.logout]: { post: operation('End the session everywhere', { 204: { description: 'Ended' } }) },
    [routes.health]: {
      get: operation('Whether the handler can do its work', {
        200: inJson('It can', object({ status: text })),
        503: inJson('It cannot', object({ status: text })),
      }),
    },
    [routes.openapi]: { get: operation('This description', { 200: inJson('OpenAPI', { type: 'object' }) }) },
  },
  components: {
    schemas: {
      User: object({ username: text, resourceId: text, isAdmin: { type: 'boolean' } }),
      Problem: object({
        type: text,
        title: text,
        status: { type: 'integer' },
        detail: text,
        code: { enum: Object.keys(problems) },
        correlationId: text,
      }),
    },
  },
}
