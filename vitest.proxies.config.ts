import { defineConfig } from 'vitest/config'
import { proxies } from './test/support/rooms.ts'

export default defineConfig(proxies)
