// A machine that runs everything at once may be slow; a test that waits for an event that never comes still ends.
jest.setTimeout(600_000);
