// Once, so that a test which midnight interrupts expects the days that it configured.
const now = Date.now()

/** Returns the date a number of days ago, as the configuration takes it. */
export const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString().slice(0, 10)

/** The key with which the handlers of tests seal sessions. It may appear only in values that are marked as secret. */
export const sessionKeys = 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'

/** The smallest complete configuration. */
export const minimalConfig: Readonly<Record<string, string>> = {
  zoneId: '0123456789abcdef0123456789abcdef',
  accountId: 'fedcba9876543210fedcba9876543210',
  hostname: 'home.example.com',
  publicOrigin: 'https://people.example.com',
  secretRotationA: daysAgo(10),
  secretRotationB: daysAgo(60),
  allowedDomains: 'example.com',
}
