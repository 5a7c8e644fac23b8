import { assumed, documented, type Entry, observed, tried } from '../../http/ledger.ts'

const scriptsReference = 'API reference, Workers Scripts; types of npm cloudflare 7.3.0'
const d1Reference = 'API reference, D1; types of npm cloudflare 7.3.0'
const domainsReference = 'API reference, Workers Domains; types of npm cloudflare 7.3.0'
const routesReference = 'API reference, Workers Routes; types of npm cloudflare 7.3.0'
const errorList = 'documentation of Workers, errors of uploads and validation'
const providers = 'Terraform provider 5.19 and 5.22, run against an emulator'
const noSource = 'no source says'

/** Workers: scripts, their domains and routes, and how they run. */
export const workers = {
  'workers.script.put': documented`A script is uploaded as a form: its modules, and metadata with main_module or body_part, bindings and settings. The response has id, etag and startup_time_ms; the script is then live. Assumed: bindings that it neither sends nor keeps are removed, secrets too. [${scriptsReference}]`,
  'workers.script.put.sdk': tried`The form of the SDK is accepted: media type application/javascript, no boundary, one field per metadata value. Whether the service accepts it is unknown. [npm cloudflare 7.3.0]`,
  'workers.script.put.plain': documented`A plain application/javascript body is a script in the service worker syntax. [${scriptsReference}]`,
  'workers.script.settings': tried`Only settings that were sent are returned; any other makes the providers plan the same change again and again. A secret binding is returned as name and type only. [${providers}]`,
  'workers.script.invalid': documented`A script that does not start, lacks its entry module, or binds a database that does not exist is refused with code 10021. The previous script stays live. Assumed: status 400, this code for bindings and names too, and most messages. [${errorList}]`,
  'workers.script.binding-types': assumed`A binding type other than plain_text, secret_text, json, d1, ratelimit and inherit is refused, because a Worker could not use it here. [a limit of the sandbox]`,
  'workers.binding.ratelimit': documented`A rate limit has a namespace_id, an integer as text, and allows a number of calls in a period of 10 or 60 seconds. limit() counts a call for a key and returns whether it is within the limit. [documentation of Workers, Rate Limiting]`,
  'workers.script.missing': observed`A request for a script that does not exist gets 404 with code 10007. Assumed: so does one for its service, custom domain and route. [crowdsecurity/cs-cloudflare-worker-bouncer issue 44, 2024-09]`,
  'workers.script.list': documented`All scripts are listed on one page. [${scriptsReference}]`,
  'workers.script.delete': assumed`DELETE deletes a script with its custom domains and routes and returns a null result. [${noSource}]`,
  'workers.body.unreadable': documented`A form or body that cannot be parsed is refused with code 10026. Assumed: status 400. [${errorList}]`,
  'workers.service.get': tried`A service shows the script in its default environment. A provider reads it to learn whether the script exists. [${providers}]`,
  'workers.content.get': observed`Modules are returned as a form, the main module first and named by cf-entrypoint. A service worker script is returned as it is. [what terraform-provider-cloudflare 5.19 and wrangler 4 read, by their source of 2026]`,
  'workers.content.put': documented`PUT replaces the modules of a script. Its bindings and settings stay. [${scriptsReference}]`,
  'workers.settings.get': documented`GET returns the settings and bindings of a script. [${scriptsReference}]`,
  'workers.settings.placement': observed`The settings always include \`placement\`, which is \`{}\` if none was sent. Without it, terraform-provider-cloudflare 5.22 fails at every command after the first. [terraform-provider-cloudflare, internal/services/workers_script/resource.go, Read, 2026-08]`,
  'workers.settings.patch': documented`PATCH changes settings with a form. Bindings that are sent replace all bindings; type "inherit" keeps one. [${scriptsReference}]`,
  'workers.deployments': documented`GET returns one deployment, which sends all traffic to the last version. Every upload and change is a version. [${scriptsReference}]`,
  'workers.deployments.post': documented`POST makes a version live. It gets all traffic; several versions at once are refused here. [${scriptsReference}; wrangler 4.86.0, run against the sandbox]`,
  'workers.version.post': documented`POST uploads a version, which is not live until it is deployed. Secrets that the script has are kept. [${scriptsReference}; wrangler 4.86.0, help of deploy: a deployment never deletes secrets]`,
  'workers.version.missing': assumed`A request to deploy a version that does not exist gets 404 with code 10007. [${noSource}]`,
  'workers.script-settings.patch': documented`PATCH changes the settings that belong to the script and not to a version: logpush, observability, tags and tail_consumers. [${scriptsReference}]`,
  'workers.secret.put': documented`PUT adds or replaces a secret immediately. [${scriptsReference}]`,
  'workers.secret.list': documented`Secrets are listed by name and type, without values. [${scriptsReference}]`,
  'workers.secret.delete': documented`DELETE deletes a secret by name. [${scriptsReference}]`,
  'workers.secret.missing': documented`A request for a secret that does not exist is refused with code 10056. Assumed: status 404. [${errorList}]`,
  'workers.subdomain.get': documented`GET returns whether a script is enabled on workers.dev. The setting is stored, but nothing answers there. [${scriptsReference}]`,
  'workers.subdomain.post': documented`POST changes the workers.dev settings of a script. [${scriptsReference}]`,
  'workers.subdomain.account': documented`The account's workers.dev subdomain can be read and written. Assumed: 404 with code 10007 before the first write. [${scriptsReference}]`,

  'workers.schedules.get': documented`GET returns the cron triggers of a script. [${scriptsReference}]`,
  'workers.schedules.put': documented`PUT replaces the cron triggers of a script with a list. [${scriptsReference}]`,
  'workers.schedules.10072': observed`If the account would have more than five cron triggers on the free plan, the request is refused with code 10072. Assumed: status 400. [workers-sdk issue 15194, 2026-08]`,

  'workers.domain.put': observed`A custom domain has one id per hostname, kept when it is put again. It adds a proxied AAAA record 100::, which cannot be changed directly. [DNSControl issue 2509 and PR 4907, 2026-09; the Terraform provider replaces by PUT and then DELETE]`,
  'workers.domain.100117': observed`If the hostname has an A, AAAA or CNAME record, a request to add a custom domain gets 409 with code 100117. [vm0-ai/vm0 PR 33406, 2026-09; workers-sdk issue 9878]`,
  'workers.domain.100116': observed`If another script has the custom domain, the request gets 409 with code 100116, unless it sends override_existing_origin. [alchemy-run/alchemy-async PR 1384, 2026-04]`,
  'workers.domain.zone': assumed`A request with a hostname outside the given zone gets 400 with code 0. [${noSource}]`,
  'workers.domain.missing': assumed`A request for a custom domain that does not exist gets 404 with code 0. [${noSource}]`,
  'workers.domain.list': documented`Custom domains are listed by zone, service, environment and hostname. [${domainsReference}]`,
  'workers.domain.get': documented`GET returns one custom domain. [${domainsReference}]`,
  'workers.domain.delete': tried`DELETE deletes a custom domain and its record. The result is null, which the provider accepts. [${providers}]`,
  'workers.route.post': documented`A route has a pattern and an optional script. [${routesReference}]`,
  'workers.route.list': documented`All routes of a zone are listed on one page. [${routesReference}]`,
  'workers.route.get': documented`GET returns one route. [${routesReference}]`,
  'workers.route.put': documented`PUT replaces a route. [${routesReference}]`,
  'workers.route.delete': documented`DELETE deletes a route and returns its id. [${routesReference}]`,
  'workers.route.duplicate': assumed`A request to add a pattern that the zone has already gets 409 with code 10020. [code and wording from memory of client reports]`,
  'workers.route.invalid': assumed`A request with an invalid pattern, or with a pattern for another zone, gets 400 with code 10022. [the code is from memory]`,
  'workers.route.missing': assumed`A request for a route that does not exist gets 404 with code 10007. [${noSource}]`,

  'workers.fetch': documented`A request to a custom domain runs its Worker in workerd, with its bindings, the public URL, and CF-Connecting-IP. In this sandbox, it trusts the sandbox's authority, as it trusts the public ones at the real service. [documentation of Workers, custom domains and request headers]`,
  'workers.fetch.route': documented`A request that matches a route runs its Worker; the most specific route wins. Assumed: a route wins over a custom domain, and needs no DNS record here. [documentation of Workers, routes]`,
  'workers.fetch.exception': documented`If a Worker throws, the client receives 500 with error 1101. Assumed: the body is always the text "error code: 1101". [documentation of Workers, errors at run time]`,
} as const satisfies Readonly<Record<string, Entry>>

/** D1: databases of the account, and SQL over HTTP. */
export const d1 = {
  'd1.post': documented`POST creates a database by name and returns its uuid. [${d1Reference}]`,
  'd1.jurisdiction': documented`A database created with jurisdiction eu, fedramp or us keeps it; every response shows it, or null. An update ignores it. Assumed: another value is refused as malformed. [${d1Reference}; changelog of D1, 2025-11: a jurisdiction can only be set at creation]`,
  'd1.list': documented`Databases are listed by page and part of the name, without replication. [${d1Reference}]`,
  'd1.get': tried`GET returns a database with read_replication, which is "disabled" by default. A program that does not declare it plans a change. The name works in place of the uuid, as wrangler 4 sends it. [${providers}]`,
  'd1.update': documented`PUT and PATCH change read_replication. Assumed: if a name is sent, it must be the current one. [${d1Reference}]`,
  'd1.delete': documented`DELETE deletes a database and its contents. [${d1Reference}]`,
  'd1.missing': observed`A request for a database that does not exist gets 404 with code 7404 and its id. [messages of wrangler in many repositories, to 2026-09; the status is assumed]`,
  'd1.name-taken': observed`A name that is already used is refused with code 7502, even if the response to the first creation was lost and a provider repeats it. Assumed: status 400. [messages of wrangler in many repositories, to 2026-09; the repetition: Terraform provider 5.22, run against an emulator]`,
  'd1.malformed': observed`An invalid body is refused with code 7400, "The request is malformed" and the reason. Assumed: status 400. [workers-sdk issue 4636, 2023-12]`,
  'd1.failed': observed`If SQL fails, the request gets 400 with code 7500, the message of SQLite and ": SQLITE_ERROR". [messages of wrangler in many repositories, to 2026-09; workers-sdk issue 4020]`,
  'd1.query': documented`A query with parameters returns rows as objects, and meta. [${d1Reference}]`,
  'd1.raw': documented`A raw query returns columns once, rows as lists, and meta. [${d1Reference}]`,
  'd1.several': documented`Several statements in one text, or a batch, run as one transaction and return one result each. Assumed: parameters are assigned in order, as many as each statement has placeholders. [${d1Reference}]`,
} as const satisfies Readonly<Record<string, Entry>>
