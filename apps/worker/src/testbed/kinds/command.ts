import { fillIn } from '../command-backend';
import { PLAIN_WITH_USER } from '../images/image-shape';
import { TRIAL_TIMEOUT_MS, type TestbedKind } from './testbed-kind';

/** A virtualisation server from the configuration that takes an image of ours: its template has `{image}`. */
export function commandKind(name: string, template: string[]): TestbedKind {
  return {
    name,
    tools: () => [],
    isolation: "that of the configured server, on the worker's images",
    emulates: true,
    image: PLAIN_WITH_USER,
    modes: [''],
    trialTimeoutMs: TRIAL_TIMEOUT_MS,
    use: ({ image, suite, arch }) =>
      Promise.resolve({ options: [], server: fillIn(template, { image, suite, arch }) }),
  };
}

export function takesImage(template: string[]): boolean {
  return template.some((argument) => argument.includes('{image}'));
}
