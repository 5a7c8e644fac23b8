import { run } from './dns.ts'

process.exitCode = await run(process.argv.slice(2))
