/** The most hostnames of one run, one stack and one endpoint's command. A CNAME to one kept name needs no update. */
export const maxHostnames = 50
