/** Microsoft Graph, the only permission that the stack requests, and the one that CI needs to deploy it. */
export const graph = {
  appId: '00000003-0000-0000-c000-000000000000',
  /** Delegated User.Read: a user's own profile. */
  userRead: 'e1fe6dd8-ba31-4d61-89e7-88639da4683d',
  /** The application permission Application.ReadWrite.OwnedBy. */
  readWriteOwnedBy: '18a4783c-866b-4cc7-a460-3d5e5662c884',
} as const
