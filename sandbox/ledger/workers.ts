import { assumed, documented, type Entry, observed, tried } from './entry.ts'

const scriptsReference = 'API reference, Workers Scripts; types of npm cloudflare 7.3.0'
const d1Reference = 'API reference, D1; types of npm cloudflare 7.3.0'
const domainsReference = 'API reference, Workers Domains; types of npm cloudflare 7.3.0'
const routesReference = 'API reference, Workers Routes; types of npm cloudflare 7.3.0'
const errorList = 'documentation of Workers, errors of uploads and validation'
const providers = 'Terraform provider 5.19 and 5.22 run against a stand-in'
const nobodySaid = 'no source tells'

/** Workers: scripts, what leads to them, and how they run. */
export const workers = {
  'workers.script.put': documented(
    'A script is uploaded as a form: modules, and metadata with main_module or body_part, bindings and settings. It is in force when the answer comes, with its id, etag and startup_time_ms.',
    scriptsReference,
  ),
  'workers.script.put.sdk': tried(
    'The SDK sends the form under application/javascript without a boundary, and metadata as one field a value: both are read. Whether the service does is not known.',
    'npm cloudflare 7.3.0',
  ),
  'workers.script.put.plain': documented(
    'A body of application/javascript that is no form is a script in the older syntax.',
    scriptsReference,
  ),
  'workers.script.settings': tried(
    'Of the settings only those that were sent are served again: any other makes the providers plan a change for ever. Of a secret binding only name and type are served.',
    providers,
  ),
  'workers.script.invalid': documented(
    'A script that does not start, has no part of the name of its entry, or names a database that does not exist is refused with 10021, and the one before it stays in force. The status 400, that bindings and names get this code too, and most wordings are assumed.',
    errorList,
  ),
  'workers.script.binding-types': assumed(
    'A binding of another type than plain_text, secret_text, json, d1 and inherit is refused, since a Worker could not use it here.',
    'a limit of the sandbox',
  ),
  'workers.script.missing': observed(
    'A script that does not exist: 404, 10007. That a service, a custom domain and a route for it get the same is assumed.',
    'crowdsecurity/cs-cloudflare-worker-bouncer issue 44, 2024-09',
  ),
  'workers.script.list': documented('Scripts are listed on one page.', scriptsReference),
  'workers.script.delete': assumed(
    'DELETE takes the script away with its custom domains and routes, and answers with a result of null.',
    nobodySaid,
  ),
  'workers.body.unreadable': documented(
    'A form or body that cannot be read: 10026. The status 400 is assumed.',
    errorList,
  ),
  'workers.service.get': tried(
    'A service has the script in its default environment; a provider asks it whether the script exists.',
    providers,
  ),
  'workers.content.get': observed(
    'The code of modules is served as a form, the main module first and named by cf-entrypoint; a script in the older syntax as it is.',
    'what terraform-provider-cloudflare 5.19 and wrangler 4 read, by their source of 2026',
  ),
  'workers.settings.get': documented(
    'The settings of a script are read with its bindings.',
    scriptsReference,
  ),
  'workers.settings.patch': documented(
    'Settings change by a form; bindings that are sent replace all, of which "inherit" keeps one.',
    scriptsReference,
  ),
  'workers.secret.put': documented(
    'A secret is added or replaced by name, and is in force at once.',
    scriptsReference,
  ),
  'workers.secret.list': documented('Secrets are served by name and type, without values.', scriptsReference),
  'workers.secret.delete': documented('A secret is taken away by name.', scriptsReference),
  'workers.secret.missing': documented(
    'A secret that does not exist: 10056. The status 404 is assumed.',
    errorList,
  ),
  'workers.subdomain.get': documented(
    'Whether a script answers below workers.dev is read and written; it is kept, nothing answers there.',
    scriptsReference,
  ),
  'workers.subdomain.post': documented('The switches of that are written.', scriptsReference),
  'workers.subdomain.account': documented(
    "The account's name below workers.dev is read and written. That it is 404, 10007 before is assumed.",
    scriptsReference,
  ),

  'workers.domain.put': observed(
    'A custom domain has one id a hostname, also when it is put again, and adds a proxied AAAA record 100:: which nobody else may write.',
    'DNSControl issue 2509 and PR 4907, 2026-09; the Terraform provider replaces by PUT and then DELETE',
  ),
  'workers.domain.100117': observed(
    'A hostname with an A, AAAA or CNAME record cannot be a custom domain: 409, 100117.',
    'vm0-ai/vm0 PR 33406, 2026-09; workers-sdk issue 9878',
  ),
  'workers.domain.100116': observed(
    'A custom domain of another script stays there, 409, 100116, unless override_existing_origin is sent.',
    'alchemy-run/alchemy-async PR 1384, 2026-04',
  ),
  'workers.domain.zone': assumed('A hostname outside of the zone that was named: 400, code 0.', nobodySaid),
  'workers.domain.missing': assumed('A custom domain that does not exist: 404, code 0.', nobodySaid),
  'workers.domain.list': documented(
    'Custom domains are listed by zone, service, environment and hostname.',
    domainsReference,
  ),
  'workers.domain.get': documented('A custom domain is read by its id.', domainsReference),
  'workers.domain.delete': tried(
    'A custom domain goes with its record, and the result is null, which the provider accepts.',
    providers,
  ),
  'workers.route.post': documented('A route is a pattern, and a script or none.', routesReference),
  'workers.route.list': documented('Routes of a zone are listed on one page.', routesReference),
  'workers.route.get': documented('A route is read by its id.', routesReference),
  'workers.route.put': documented('A route is replaced.', routesReference),
  'workers.route.delete': documented('A route is taken away, and its id answered.', routesReference),
  'workers.route.duplicate': assumed(
    'A pattern that the zone has already: 409, 10020.',
    'code and wording from memory of client reports',
  ),
  'workers.route.invalid': assumed(
    'A pattern that is none, or of another zone: 400, 10022.',
    'the code is from memory',
  ),
  'workers.route.missing': assumed('A route that does not exist: 404, 10007.', nobodySaid),

  'workers.fetch': documented(
    'A request to a custom domain reaches its Worker in workerd, with its bindings, its own URL, and CF-Connecting-IP.',
    'documentation of Workers, custom domains and request headers',
  ),
  'workers.fetch.route': documented(
    'A request that fits a route reaches its Worker; of several the most specific counts. A route goes before a custom domain, which is assumed, as is that no DNS record is needed here.',
    'documentation of Workers, routes',
  ),
  'workers.fetch.exception': documented(
    'A Worker that throws is answered for with 500, error 1101. That the body is the short text "error code: 1101" for every client is assumed.',
    'documentation of Workers, errors at run time',
  ),
} as const satisfies Readonly<Record<string, Entry>>

/** D1: databases of the account, and SQL over HTTP. */
export const d1 = {
  'd1.post': documented('A database is created by name and gets a uuid.', d1Reference),
  'd1.list': documented('Databases are listed by page and part of a name, without replication.', d1Reference),
  'd1.get': tried(
    'A database is read with read_replication, "disabled" unless it was sent otherwise: a program that does not declare it plans a change.',
    providers,
  ),
  'd1.update': documented(
    'PUT and PATCH change read_replication. That a name which is sent must be the present one is assumed.',
    d1Reference,
  ),
  'd1.delete': documented('A database goes with what is in it.', d1Reference),
  'd1.missing': observed(
    'A database that does not exist: 404, 7404 with its id.',
    'messages of wrangler in many repositories, to 2026-09; the status is assumed',
  ),
  'd1.name-taken': observed(
    'A name that is taken: 7502. The status 400 is assumed.',
    'messages of wrangler in many repositories, to 2026-09',
  ),
  'd1.malformed': observed(
    'A body that is not what the operation takes: 7400, "The request is malformed" and why. The status 400 is assumed.',
    'workers-sdk issue 4636, 2023-12',
  ),
  'd1.failed': observed(
    'SQL that fails: 400, 7500, with the message of SQLite and ": SQLITE_ERROR".',
    'messages of wrangler in many repositories, to 2026-09; workers-sdk issue 4020',
  ),
  'd1.query': documented('SQL with parameters gives rows as objects, and meta.', d1Reference),
  'd1.raw': documented('The raw form gives columns once and rows as lists, and meta.', d1Reference),
  'd1.several': documented(
    'Several statements in one text, or a batch, run as one transaction with one result each. That parameters go to statements in their order, as many as each has marks, is assumed.',
    d1Reference,
  ),
} as const satisfies Readonly<Record<string, Entry>>
