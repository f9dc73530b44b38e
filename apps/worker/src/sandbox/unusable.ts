/** What the machine lacks, and the command or setting that helps, in one sentence. */
export class Unusable extends Error {}
