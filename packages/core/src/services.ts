/**
 * What parts of a host offer each other. A source gets them when it opens and registers only the tools whose
 * services are there, so that no package has to import a sibling.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- packages add the services they define
export interface HostServices {}
