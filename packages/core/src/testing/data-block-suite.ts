export function testDataBlock(): void {}
