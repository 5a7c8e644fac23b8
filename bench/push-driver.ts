/**
 * Sends pings to a Worker in this process, and prints what they cost it. Arguments: the Worker's file, the number of
 * pings, the addresses to take in turn. Bindings are in BINDINGS as JSON.
 */

const warmUpPings = 20

const [file = '', pings = '', ...addresses] = process.argv.slice(2)
const bindings = JSON.parse(process.env['BINDINGS'] ?? '{}')
const { default: worker } = await import(file)
// The log is a cost of the Worker. Printing it is one of this process.
console.log = () => {}

async function ping(index: number): Promise<void> {
  const address = addresses[index % addresses.length]
  const work: Promise<unknown>[] = []
  const response: Response = await worker.fetch(
    new Request(`https://push.example/nic/update?hostname=home.example.com&myip=${address}`, {
      headers: { authorization: `Basic ${btoa(`homeport:${bindings.PASSWORD}`)}` },
    }),
    bindings,
    { waitUntil: (promise: Promise<unknown>) => void work.push(promise) },
  )
  const body = await response.text()
  await Promise.all(work)
  if (!body.startsWith('good') && !body.startsWith('nochg')) throw new Error(`a ping was answered ${body}`)
}

for (let index = 0; index < warmUpPings; index += 1) await ping(index)
const [cpuBefore, startedMs] = [process.cpuUsage(), performance.now()]
for (let index = 0; index < Number(pings); index += 1) await ping(index)
const wallMs = performance.now() - startedMs
const { user, system } = process.cpuUsage(cpuBefore)
process.stdout.write(
  JSON.stringify({ wallMs: wallMs / Number(pings), cpuMs: (user + system) / 1000 / Number(pings) }),
)
process.exit(0)
