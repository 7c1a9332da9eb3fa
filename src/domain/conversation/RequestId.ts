/** The name by which a host knows its request; echoed as it came. */
export type RequestId = string | number
