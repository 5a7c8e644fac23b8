import { type ProblemCode, problems } from './problem.ts'
import { routes } from './routes.ts'

const user = {
  type: 'object',
  required: ['username', 'resourceId', 'isAdmin'],
  properties: {
    username: { type: 'string', description: 'UserName of the employee record.' },
    resourceId: { type: 'string', description: 'Id of the employee record, as text.' },
    isAdmin: { type: 'boolean' },
  },
}

const problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'correlationId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What the person can do.' },
    code: { type: 'string', enum: Object.keys(problems) },
    correlationId: { type: 'string' },
  },
}

const inJson = (schema: object) => ({ 'application/json': { schema } })

/** The failures of a route, one answer a status, its codes in the description. */
function failures(...codes: readonly ProblemCode[]) {
  const statuses = [...new Set(codes.map(code => problems[code].status))].sort()
  return Object.fromEntries(
    statuses.map(status => [
      String(status),
      {
        description: codes.filter(code => problems[code].status === status).join(', '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
}

const withUser = {
  description: 'Who is signed in.',
  content: inJson({
    type: 'object',
    required: ['user'],
    properties: { user: { $ref: '#/components/schemas/User' } },
  }),
}
const parameter = (name: string, description: string) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'string' },
})
const session = [{ session: [] }]
const who = [
  'not-in-system',
  'inactive',
  'ambiguous-employee',
  'guest-not-allowed',
  'domain-not-allowed',
] as const

/** The interface in OpenAPI 3.1, as GET /openapi.json gives it. */
export const openapi = {
  openapi: '3.1.0',
  info: {
    title: 'Homeport sign-in',
    version: '1',
    description: 'Signs employees in through the identity provider and says who is signed in.',
  },
  paths: {
    [routes.loginUrl]: {
      get: {
        summary: 'Start a sign-in',
        description: 'Sets the transaction cookie that the callback needs.',
        parameters: [parameter('prompt', 'select_account has the provider ask which account to use.')],
        responses: {
          '200': {
            description: 'Where to send the browser.',
            content: inJson({ type: 'object', required: ['url'], properties: { url: { type: 'string' } } }),
          },
          ...failures('cross-site', 'misconfigured', 'unexpected'),
        },
      },
    },
    [routes.callback]: {
      get: {
        summary: 'Complete a sign-in',
        description: 'Takes what the provider sent to the redirect address; sets the session cookie.',
        parameters: [
          parameter('code', 'The authorization code; without it, error.'),
          parameter('state', 'Checked when sent; demanded where the deployment says so.'),
          parameter('error', 'What the provider sends in place of a code.'),
          parameter('error_description', 'Only its AADSTS number is read.'),
        ],
        responses: {
          '200': withUser,
          ...failures(
            ...who,
            'identity-changed',
            'binding-required',
            'sign-in-expired',
            'transaction-missing',
            'code-missing',
            'state-mismatch',
            'state-required',
            'consent-required',
            'not-assigned',
            'sign-in-refused',
            'cross-site',
            'provider-error',
            'provider-unavailable',
            'employees-unavailable',
            'provider-timeout',
            'client-credential-rejected',
            'misconfigured',
            'unexpected',
          ),
        },
      },
    },
    [routes.session]: {
      get: {
        summary: 'Who is signed in, as the employee store says now',
        security: session,
        responses: {
          '200': withUser,
          ...failures('signed-out', 'inactive', 'not-in-system', 'cross-site', 'employees-unavailable'),
        },
      },
    },
    [routes.forward]: {
      get: {
        summary: 'The same for a reverse proxy, in headers',
        security: session,
        responses: {
          '204': {
            description: 'Signed in.',
            headers: {
              'X-Homeport-Username': { description: 'Percent-encoded.', schema: { type: 'string' } },
              'X-Homeport-Resource-Id': { schema: { type: 'string' } },
              'X-Homeport-Is-Admin': { schema: { type: 'string', enum: ['0', '1'] } },
            },
          },
          ...failures('signed-out', 'inactive', 'not-in-system', 'employees-unavailable'),
        },
      },
    },
    [routes.logout]: {
      post: {
        summary: 'End the session everywhere',
        security: session,
        responses: { '204': { description: 'Ended.' }, ...failures('cross-site', 'employees-unavailable') },
      },
    },
    [routes.health]: {
      get: {
        summary: 'Whether the handler can do its work',
        responses: {
          '200': { description: 'It can.', content: inJson({ type: 'object' }) },
          '503': { description: 'It cannot.', content: inJson({ type: 'object' }) },
        },
      },
    },
  },
  components: {
    schemas: { User: user, Problem: problem },
    securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: '__Host-homeport-session' } },
  },
}
