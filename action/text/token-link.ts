/**
 * Opens Cloudflare's form for a token that can edit DNS records. The form has every zone selected: the link cannot select one
 * (Cloudflare fundamentals: API token template URLs).
 */
export const tokenLink =
  'https://dash.cloudflare.com/profile/api-tokens?permissionGroupKeys=%5B%7B%22key%22%3A%22dns%22%2C%22type%22%3A%22edit%22%7D%5D&accountId=%2A&zoneId=all&name=homeport'
