export { removeAmbient } from './ambient';
export { surviveLostOutput } from './lost-output';
export { settleSurroundings } from './settled';
